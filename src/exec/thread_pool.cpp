#include "exec/thread_pool.hpp"

#include <algorithm>

namespace lipkin {

ThreadPool::ThreadPool(int thread_count) {
  if (thread_count <= 0) thread_count = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  for (int i = 1; i < thread_count; ++i) workers_.emplace_back([this, i] { work(i); });
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  start_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadPool::run_part(int thread) const {
  if (thread >= parts_) return;
  const std::int64_t n = parts_, count = count_;
  call_(body_, thread, static_cast<int>(count * thread / n), static_cast<int>(count * (thread + 1) / n));
}

void ThreadPool::work(int thread) {
  std::uint64_t seen = 0;
  std::unique_lock lock(mutex_);
  for (;;) {
    start_.wait(lock, [&] { return stop_ || generation_ != seen; });
    if (stop_) return;
    seen = generation_;
    lock.unlock();
    run_part(thread);
    lock.lock();
    if (--running_ == 0) done_.notify_one();
  }
}

void ThreadPool::run(int count, int parts, const void* body, Call call) {
  {
    const std::lock_guard lock(mutex_);
    body_ = body;
    call_ = call;
    count_ = count;
    parts_ = parts;
    running_ = static_cast<int>(workers_.size());
    ++generation_;
  }
  start_.notify_all();
  run_part(0);
  std::unique_lock lock(mutex_);
  done_.wait(lock, [this] { return running_ == 0; });
}

}  // namespace lipkin
