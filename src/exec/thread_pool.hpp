// Threads that wait for work: parallel_for splits a range into one contiguous part per thread, always the same way, so
// that results do not depend on timing.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
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

  // Calls body(thread, begin, end) once per thread with its part of [0, count); returns when all are done. The body
  // must not throw.
  void parallel_for(int count, const std::function<void(int thread, int begin, int end)>& body);

 private:
  void work(int thread);
  void run_part(int thread) const;

  std::vector<std::thread> workers_;
  std::mutex mutex_;
  std::condition_variable start_, done_;
  const std::function<void(int, int, int)>* body_ = nullptr;
  int count_ = 0;
  int running_ = 0;
  std::uint64_t generation_ = 0;
  bool stop_ = false;
};

}  // namespace lipkin
