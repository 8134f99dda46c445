#include "exec/thread_pool.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

namespace lipkin {
namespace {

TEST(ThreadPool, CoversTheRangeOnce) {
  for (const int threads : {1, 2, 3, 8}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.thread_count(), threads);
    for (const int count : {0, 1, 2, 7, 1000}) {
      std::vector<std::atomic<int>> visits(count);
      std::vector<std::atomic<int>> calls(threads);
      pool.parallel_for(count, [&](int thread, int begin, int end) {
        ++calls[thread];
        for (int i = begin; i < end; ++i) ++visits[i];
      });
      for (const auto& v : visits) EXPECT_EQ(v, 1);
      for (const auto& c : calls) EXPECT_EQ(c, 1);
    }
  }
}

TEST(ThreadPool, SplitsAlwaysTheSameWay) {
  ThreadPool pool(3);
  std::vector<int> first(3, -1), again(3, -1);
  pool.parallel_for(10, [&](int thread, int begin, int) { first[thread] = begin; });
  pool.parallel_for(10, [&](int thread, int begin, int) { again[thread] = begin; });
  EXPECT_EQ(first, again);
  EXPECT_EQ(first[0], 0);
}

// Many short pieces of work one after another: nothing is lost, nobody waits for ever.
TEST(ThreadPool, ManyShortCalls) {
  ThreadPool pool(4);
  std::atomic<long> sum = 0;
  for (int n = 0; n < 5000; ++n)
    pool.parallel_for(4, [&](int, int begin, int end) {
      for (int i = begin; i < end; ++i) sum += i;
    });
  EXPECT_EQ(sum, 5000L * 6);
}

TEST(ThreadPool, HasAThreadPerCoreByDefault) { EXPECT_GE(ThreadPool(0).thread_count(), 1); }

}  // namespace
}  // namespace lipkin
