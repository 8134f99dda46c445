#include "server/thread_priority.hpp"

#include <sched.h>
#include <sys/prctl.h>

#include <thread>

namespace lipkin {

namespace {

// A timer may come this much late, so that wake-ups can be taken together; 50 us unless it is set [ns].
constexpr unsigned long kTimerSlack = 1000;

}  // namespace

// On a single processor nothing else would run beside an urgent thread; a policy that somebody has chosen stays.
UrgentThread::UrgentThread()
    : allowed_(std::thread::hardware_concurrency() > 1 && ::sched_getscheduler(0) == SCHED_OTHER) {
  ::prctl(PR_SET_TIMERSLACK, kTimerSlack, 0, 0, 0);
}

void UrgentThread::set(bool urgent) {
  if (!allowed_ || urgent == urgent_) return;
  sched_param parameters{};
  // The lowest of the real-time priorities is above everything that is not one. Threads made meanwhile do not have it.
  if (urgent) parameters.sched_priority = ::sched_get_priority_min(SCHED_FIFO);
  allowed_ = ::sched_setscheduler(0, urgent ? SCHED_FIFO | SCHED_RESET_ON_FORK : SCHED_OTHER, &parameters) == 0;
  if (allowed_) urgent_ = urgent;
}

void give_way() {
  const sched_param parameters{};
  ::sched_setscheduler(0, SCHED_BATCH, &parameters);
}

}  // namespace lipkin
