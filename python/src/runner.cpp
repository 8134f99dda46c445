#include "runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "lipkin/error.hpp"

namespace lipkin::python {

namespace py = pybind11;

namespace {

constexpr double kAnyTime = std::numeric_limits<double>::infinity();
constexpr std::chrono::milliseconds kInterruptInterval(50);
constexpr std::array kAllShown = {Shown::kQ, Shown::kU, Shown::kApplied, Shown::kControl};

// Lets Python's other threads run. pybind11's own does more than is needed, for a step that takes a microsecond.
class OthersRun {
 public:
  OthersRun() : thread_(PyEval_SaveThread()) {}
  ~OthersRun() { PyEval_RestoreThread(thread_); }
  OthersRun(const OthersRun&) = delete;
  OthersRun& operator=(const OthersRun&) = delete;

 private:
  PyThreadState* thread_;
};

std::size_t index_of(Shown what) { return static_cast<std::size_t>(what); }

}  // namespace

// While one exists, a thread steps; made and destroyed with Python's lock held.
class Runner::Stepping {
 public:
  explicit Stepping(Runner& runner) : runner_(runner) {
    runner.check_not_stepping();
    runner.stepping_thread_ = std::this_thread::get_id();
    runner.stepping_ = true;
  }
  ~Stepping() {
    runner_.stepping_ = false;
    runner_.note_written();
  }
  Stepping(const Stepping&) = delete;
  Stepping& operator=(const Stepping&) = delete;

 private:
  Runner& runner_;
};

Runner::Runner(LoadedScene loaded, bool commanded)
    : source_(std::move(loaded.source)), files_(std::move(loaded.files)) {
  if (commanded) {
    session_.emplace(std::move(loaded.scene), source_);
  } else {
    simulation_.emplace(std::move(loaded.scene));
  }
}

void Runner::check_thread() const {
  if (stepping_ && stepping_thread_ != std::this_thread::get_id())
    throw InvalidArgument("another thread steps this simulation; wait for it, or give each thread its own");
}

void Runner::check_not_stepping() const {
  check_thread();
  if (stepping_) throw InvalidArgument("this cannot be done from a controller, which is called between two steps");
}

Simulation& Runner::own_simulation() {
  if (!simulation_) throw InvalidArgument("a session changes by commands alone, so that it can be repeated");
  return *simulation_;
}

const Simulation& Runner::look() {
  check_thread();
  bring_in_written();
  return simulation();
}

Simulation& Runner::edit() {
  look();
  return own_simulation();
}

Simulation& Runner::edit_alone() {
  check_not_stepping();
  return edit();
}

Session& Runner::session() {
  check_thread();
  if (!session_) throw InvalidArgument("this simulation takes no commands; make a Session instead");
  return *session_;
}

// ---- arrays ----

std::span<double> Runner::values(Shown what) {
  const State& state = simulation().state();
  const std::array<const std::vector<double>*, 4> all = {&state.q, &state.u, &state.applied, &state.control};
  const std::vector<double>& values = *all[index_of(what)];
  // Those of a session are shown as arrays that cannot be written.
  return {const_cast<double*>(values.data()), values.size()};
}

void Runner::show_for_writing() {
  if (shown_for_writing_ || session_) return;
  shown_for_writing_ = true;
  note_written();
}

void Runner::note_written() {
  if (!shown_for_writing_) return;
  for (const Shown what : kAllShown) {
    const std::span<double> now = values(what);
    known_[index_of(what)].assign(now.begin(), now.end());
  }
}

bool Runner::was_written(Shown what) {
  const std::span<double> now = values(what);
  const std::vector<double>& known = known_[index_of(what)];
  return now.size() != known.size() || std::memcmp(now.data(), known.data(), now.size_bytes()) != 0;
}

void Runner::bring_in_written() {
  if (!shown_for_writing_) return;
  const bool state = was_written(Shown::kQ) || was_written(Shown::kU);
  const bool forces = was_written(Shown::kApplied) || was_written(Shown::kControl);
  if (state) simulation_->state_written();
  if (forces) simulation_->forces_written();
  if (state || forces) note_written();
}

// ---- stepping ----

bool Runner::has_time_come() {
  const auto now = std::chrono::steady_clock::now();
  if (now < next_look_) return false;
  next_look_ = now + kInterruptInterval;
  return true;
}

void Runner::obey_interrupt() {
  if (!has_time_come()) return;
  const py::gil_scoped_acquire lock;
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
}

void Runner::take_one_step(double limit) {
  if (session_) {
    session_->step(limit);
    if (recorder_) recorder_->after_step();
  } else {
    simulation_->step(limit);
  }
}

void Runner::step_uncontrolled(std::int64_t count) {
  const OthersRun others_run;
  for (std::int64_t i = 0; i < count; ++i) {
    take_one_step(kAnyTime);
    if (count > 1) obey_interrupt();
  }
}

void Runner::step(std::int64_t count, const BeforeStep& before) {
  if (count < 0) throw InvalidArgument(fmt::format("{} steps; expected a number not below 0", count));
  const Stepping stepping(*this);
  bring_in_written();
  if (!before) return step_uncontrolled(count);
  for (std::int64_t i = 0; i < count; ++i) {
    const double limit = before();
    bring_in_written();
    {
      const OthersRun others_run;
      take_one_step(limit);
    }
    note_written();
    obey_interrupt();
  }
}

void Runner::add_row(const Simulation& now) {
  const auto add = [this](std::span<const double> values) { rows_.insert(rows_.end(), values.begin(), values.end()); };
  rows_.push_back(now.sample_time());
  if (session_) return add(session_->channel_values());
  add(now.outputs());
  if (!watches_.empty()) add(simulation_->watched());
}

double Runner::controlled_limit(const BeforeStep& before) {
  const py::gil_scoped_acquire lock;
  note_written();
  const double limit = before();
  bring_in_written();
  return limit;
}

void Runner::run(double duration, double every, bool record, const BeforeStep& before) {
  if (!(duration >= 0)) throw InvalidArgument(fmt::format("duration is {} s; expected a number >= 0", duration));
  const Stepping stepping(*this);
  bring_in_written();
  rows_.clear();
  const Simulation::Observer on_sample = [this](const Simulation& now) {
    add_row(now);
    return true;
  };
  const Simulation::Observer on_step = [&](const Simulation&) {
    if (recorder_) recorder_->after_step();
    obey_interrupt();
    return true;
  };
  const BeforeStep before_step = [&] { return before ? controlled_limit(before) : kAnyTime; };
  const OthersRun others_run;
  const Simulation::Observer& sample = record ? on_sample : Simulation::Observer();
  if (session_) {
    session_->run(duration, every, sample, on_step, before_step);
  } else {
    simulation_->run(duration, every, sample, on_step, before_step);
  }
}

// ---- state ----

void Runner::reset() {
  edit_alone().reset();
  if (!watches_.empty()) simulation_->set_watches(watches_);
  note_written();
}

void Runner::restore(const Checkpoint& checkpoint) {
  Simulation& simulation = edit_alone();
  if (&checkpoint.model.data() != &simulation.model().data())
    throw InvalidArgument("the state to restore belongs to another model");
  simulation.restore(checkpoint);
  note_written();
}

void Runner::set_watches(const std::vector<std::string>& expressions) {
  Simulation& simulation = edit();
  const std::vector<std::string> mistakes = simulation.set_watches(expressions);
  const auto wrong = std::find_if(mistakes.begin(), mistakes.end(), [](const auto& text) { return !text.empty(); });
  if (wrong != mistakes.end()) {
    simulation.set_watches(watches_);
    throw InvalidArgument(fmt::format("watch: '{}': {}", expressions[wrong - mistakes.begin()], *wrong));
  }
  watches_ = expressions;
}

std::span<const double> Runner::watched() { return edit().watched(); }

// ---- commands ----

CommandAnswer Runner::command(const std::string& line) {
  Session& session = this->session();
  const std::string mistake = command_mistake(line);
  if (!mistake.empty()) throw InvalidArgument(mistake);
  std::optional<CommandAnswer> answer;
  const auto waits = std::make_shared<bool>(true);
  session.submit(line, [&answer, waits](const CommandAnswer& given) {
    if (*waits) answer = given;
  });
  session.apply_due();
  *waits = false;
  if (answer && !answer->ok) throw InvalidArgument(answer->error);
  return answer.value_or(CommandAnswer{true, "", "null", 0, 0, 0});
}

void Runner::begin_recording(const std::string& path) {
  check_not_stepping();
  Session& recorded = session();
  if (recorder_) throw InvalidArgument("the session is recorded already");
  recorder_.emplace(path, recorded, source_);
}

void Runner::end_recording() {
  check_not_stepping();
  if (!recorder_) throw InvalidArgument("the session is not recorded");
  recorder_->finish();
  recorder_.reset();
}

}  // namespace lipkin::python
