// Threads that wait for work: parallel_for splits a range into one contiguous part per thread, always the same way, so
// that results do not depend on timing.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace lipkin {

class ThreadPool {
 public:
  // thread_count 0: one per core. The calling thread is one of them.
  explicit ThreadPool(int thread_count);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int thread_count() const { return static_cast<int>(workers_.size()) + 1; }

  // Calls body(thread, begin, end) once for each of so many threads (default: all) with its part of [0, count); returns
  // when all are done. The body must not throw.
  template <class Body>
  void parallel_for(int count, const Body& body) {
    parallel_for(count, thread_count(), body);
  }
  template <class Body>
  void parallel_for(int count, int parts, const Body& body) {
    run(count, parts, &body,
        [](const void* b, int thread, int begin, int end) { (*static_cast<const Body*>(b))(thread, begin, end); });
  }

 private:
  using Call = void (*)(const void* body, int thread, int begin, int end);
  void run(int count, int parts, const void* body, Call call);
  void work(int thread);
  void run_part(int thread) const;

  std::vector<std::thread> workers_;
  std::mutex mutex_;
  std::condition_variable start_, done_;
  const void* body_ = nullptr;
  Call call_ = nullptr;
  int count_ = 0, parts_ = 0;
  int running_ = 0;
  std::uint64_t generation_ = 0;
  bool stop_ = false;
};

// body(thread, begin, end) over [0, count): by as many threads of the pool (null: there is none) as get `least` of
// them, else by the calling thread.
template <class Body>
void in_parts(ThreadPool* pool, int count, int least, const Body& body) {
  const int parts = pool ? std::min(pool->thread_count(), count / least) : 1;
  if (parts > 1) {
    pool->parallel_for(count, parts, body);
  } else {
    body(0, 0, count);
  }
}

inline int thread_count_of(const ThreadPool* pool) { return pool ? pool->thread_count() : 1; }

}  // namespace lipkin
