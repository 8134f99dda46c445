// A simulation as Python holds it: stepped without Python's lock, looked at and written into through arrays that show
// its memory, driven by Python callables between steps. A session adds commands; its arrays cannot be written.
//
// One thread at a time: whoever comes while another thread steps is refused. What decides about that is only touched
// with Python's lock held.
#pragma once

#include <pybind11/pybind11.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "lipkin/recording.hpp"
#include "lipkin/session.hpp"
#include "scene_options.hpp"

namespace lipkin::python {

// What an array can show.
enum class Shown { kQ, kU, kApplied, kControl };

class Runner {
 public:
  Runner(LoadedScene loaded, bool commanded);

  // For whoever looks; brings in what was written into arrays. Throws InvalidArgument while another thread steps.
  const Simulation& look();
  // For changes between two steps, of a simulation without commands; also from a callable that is called there.
  Simulation& edit();
  // For changes that cannot be made from such a callable.
  Simulation& edit_alone();
  Session& session();  // throws InvalidArgument where there is none

  bool is_commanded() const { return session_.has_value(); }
  std::span<double> values(Shown what);
  void show_for_writing();  // from now on, what is written into arrays is looked for
  void note_written();      // what the arrays show now was not written by the user

  // Called before every step with Python's lock held; returns a time that the step does not go beyond [s].
  using BeforeStep = std::function<double()>;
  void step(std::int64_t count, const BeforeStep& before);
  // Samples go to rows(): time, outputs, watches.
  void run(double duration, double every, bool record, const BeforeStep& before);
  std::vector<double> take_rows() { return std::move(rows_); }

  void reset();
  void restore(const Checkpoint& checkpoint);
  // Throws InvalidArgument with the first mistake, and watches what was watched before.
  void set_watches(const std::vector<std::string>& expressions);
  std::span<const double> watched();

  CommandAnswer command(const std::string& line);
  void begin_recording(const std::string& path);
  void end_recording();

 private:
  class Stepping;

  void check_thread() const;
  void check_not_stepping() const;
  const Simulation& simulation() const { return session_ ? session_->simulation() : *simulation_; }
  Simulation& own_simulation();
  void take_one_step(double limit);
  void step_uncontrolled(std::int64_t count);
  void bring_in_written();
  bool was_written(Shown what);
  bool has_time_come();  // to look whether the user wants to interrupt
  void obey_interrupt();
  void add_row(const Simulation& now);
  double controlled_limit(const BeforeStep& before);

  std::optional<Simulation> simulation_;
  std::optional<Session> session_;
  SceneSource source_;
  std::shared_ptr<const void> files_;  // of the source, where they would go away
  std::optional<SessionRecorder> recorder_;
  std::vector<std::string> watches_;

  bool stepping_ = false;
  std::thread::id stepping_thread_;
  bool shown_for_writing_ = false;
  std::array<std::vector<double>, 4> known_;  // what the arrays showed last
  std::vector<double> rows_;
  std::chrono::steady_clock::time_point next_look_;
};

}  // namespace lipkin::python
