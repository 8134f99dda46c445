// How urgent threads are to the system. What it does not allow is left as it is: everything works without.
#pragma once

namespace lipkin {

// For the simulation's thread: it wakes up at its time and is not put aside for others, while it is urgent.
class UrgentThread {
 public:
  // For the thread that calls it; not urgent yet.
  UrgentThread();
  ~UrgentThread() { set(false); }
  UrgentThread(const UrgentThread&) = delete;
  UrgentThread& operator=(const UrgentThread&) = delete;

  void set(bool urgent);

 private:
  bool urgent_ = false;
  bool allowed_;
};

// For a thread that others go before: waking it up interrupts nobody.
void give_way();

}  // namespace lipkin
