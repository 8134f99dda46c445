#include "lipkin/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "session/session_impl.hpp"

namespace lipkin {

namespace {

std::shared_ptr<const Snapshot> first_snapshot(const Simulation& simulation, std::shared_ptr<const Design> design) {
  return std::make_shared<const Snapshot>(Snapshot{simulation.checkpoint(), std::move(design), 0});
}

}  // namespace

bool is_multistep(StepperKind kind) { return kind == StepperKind::kAdams || kind == StepperKind::kBdf; }

Session::Impl::Impl(Scene from, const SceneSource& source)
    : simulation(from),
      as_given(simulation.experiment()),
      scene(source, !simulation.model().data().parameters.empty()),
      description(from.description),
      design(std::make_shared<const Design>(simulation.model())),
      timeline(first_snapshot(simulation, design)) {
  const ModelParts& p = design->base();
  for (std::size_t i = 0; i < p.outputs.size(); ++i) {
    const OutputSpec& output = p.outputs[i];
    if (output.on_request) continue;  // until somebody watches it
    channels.push_back({output.name, output.expression, output.unit, ""});
    output_index.push_back(i);
  }
  output_count = channels.size();
  for (const ParameterSpec& parameter : p.parameters) scene_parameters["parameter." + parameter.name] = parameter.value;
  update_watches();
}

// Times closer than this are the same step boundary.
double Session::Impl::time_slack() const {
  constexpr double kOfAStep = 1e-6;
  return kOfAStep * std::max(simulation.experiment().dt, 1e-9);
}

bool Session::Impl::is_due(const Json& line) const {
  if (const auto at = line.find("step"); at != line.end()) return at->get<std::uint64_t>() <= now();
  const auto at = line.find("at");
  if (at == line.end()) return true;
  return at->get<double>() <= time() + time_slack();
}

// A step whose size is chosen ends where a pending command is due.
double Session::Impl::up_to_commands(double limit) const {
  if (!chooses_steps(simulation.experiment())) return limit;
  for (const Pending& pending : queue) limit = std::min(limit, pending.line.value("at", limit));
  return limit;
}

double Session::Impl::next_of_icons() const {
  double t = std::numeric_limits<double>::infinity();
  for (const Icon& icon : design->icons) {
    if (icon.start > time()) t = std::min(t, icon.start);
    if (icon.end() > time()) t = std::min(t, icon.end());
  }
  return t;
}

void Session::Impl::answer(Pending& pending) {
  CommandAnswer result;
  try {
    result = apply(pending.line, pending.client);
  } catch (const InputError& e) {
    const Diagnostic& first = e.diagnostics().front();
    const std::string place = first.where.text();
    result = {false, place.empty() ? first.message : place + ": " + first.message, "{}", now(), time(), 0};
  } catch (const Error& e) {
    const std::string text = e.what();
    result = {false, text.substr(0, text.find('\n')), "{}", now(), time(), 0};
  } catch (const nlohmann::json::exception& e) {
    result = {false, e.what(), "{}", now(), time(), 0};
  }
  if (pending.done) pending.done(result);
}

// In the order of their times, those of one time in the order they came. A command may lead to others.
void Session::Impl::apply_due() {
  for (;;) {
    auto best = queue.end();
    const auto when = [this](const Pending& p) { return std::min(p.line.value("at", time()), time()); };
    for (auto p = queue.begin(); p != queue.end(); ++p)
      if (is_due(p->line) && (best == queue.end() || when(*p) < when(*best))) best = p;
    if (best == queue.end()) return;
    Pending pending = std::move(*best);
    queue.erase(best);
    answer(pending);
  }
}

// Those whose time lies between here and where the way along the timeline began: it is gone, and nobody wants them at
// another.
void Session::Impl::drop_passed(std::uint64_t from_step, double from_t, const std::string& by) {
  const auto was_passed = [&](const Pending& pending) {
    if (const auto at = pending.line.find("step"); at != pending.line.end())
      return at->get<std::uint64_t>() > from_step && at->get<std::uint64_t>() < now();
    const double at = pending.line.value("at", from_t);
    return at > from_t + time_slack() && at < time() - time_slack();
  };
  const auto passed = std::stable_partition(queue.begin(), queue.end(), [&](const auto& p) { return !was_passed(p); });
  std::vector<Pending> dropped(std::make_move_iterator(passed), std::make_move_iterator(queue.end()));
  queue.erase(passed, queue.end());
  for (const Pending& pending : dropped) {
    const bool by_step = pending.line.contains("step");
    const std::string when = by_step ? fmt::format("step {}", pending.line["step"].get<std::uint64_t>())
                                     : fmt::format("t = {:.6g} s", pending.line["at"].get<double>());
    const std::string name = pending.line["cmd"];
    const std::string reason = fmt::format("{}: its time, {}, was passed over by '{}'", name, when, by);
    if (pending.done) pending.done({false, reason, "{}", now(), time(), 0});
  }
}

bool Session::Impl::steps_lie_ahead() const {
  const Branch& branch = timeline.current();
  return now() < branch.end_step || next_edit < branch.edits.size();
}

// What happens at a boundary after commands: edits of the branch that is gone along, motions that begin or end. What
// has failed here would fail again, but for multistep codes, which have begun anew: no repetition would know of it.
void Session::Impl::begin_step() {
  if (!failure.empty()) throw SimulationError(failure);
  repeat_edits(timeline.current().edits.size());
  start_and_end_motions();
}

// A pause that is due here keeps the step from being taken.
void Session::Impl::step(double limit) {
  const bool was_playing = playing;
  apply_due();
  if (was_playing && !playing) return;
  begin_step();
  try {
    take_step(up_to_commands(limit));
  } catch (const SimulationError& e) {
    fail(e);
    throw;
  }
  tell_limit();
}

// Returns how far the step may go. A step whose size is chosen ends where a motion begins or ends; one that was taken
// before goes no further than it went then. Where there is none to take, nothing is touched.
double Session::Impl::prepare_step(double limit) {
  const Branch& branch = timeline.current();
  const bool chooses = chooses_steps(simulation.experiment());
  if (chooses) limit = std::min(limit, next_of_icons());
  if (now() < branch.end_step) limit = std::min(limit, branch.limit_at(now()));
  coming = {now(), time(), limit, simulation.state().drags};
  if (now() < branch.end_step && limit != branch.limit_at(now()) && may_limit_matter()) timeline.check_room();
  if (branch.restarts_at(now())) simulation.begin_anew();
  if (time() < limit - (chooses ? 0 : time_slack())) hold_on();
  return limit;
}

void Session::Impl::take_step(double limit) {
  start_and_end_motions();
  try {
    simulation.step(prepare_step(limit));
  } catch (...) {
    take_back_begin();
    throw;
  }
  after_step();
}

// Of a step that was not taken: motions have not begun, and hands pull as before it. What comes instead of the step
// finds what a repetition finds.
void Session::Impl::take_back_begin() {
  const std::shared_ptr<const Snapshot> before = std::exchange(before_motions, nullptr);
  std::vector<ActiveDrag> drags = std::exchange(coming.drags, {});
  if (before) return restore(*before);
  if (!drags.empty()) simulation.set_drags(std::move(drags));
}

void Session::Impl::fail(const SimulationError& error) {
  if (failure == error.what()) return;  // known
  failure = error.what();
  playing = false;
  ++versions.run;
  event({{"event", "failed"}, {"message", failure}, {"step", now()}, {"t", time()}});
}

void Session::Impl::after_step() {
  before_motions.reset();
  coming.drags.clear();
  if (now() > coming.step) keep_limit();
  if (!design->breaks.empty()) break_joints();
  Branch& branch = timeline.current();
  if (now() <= branch.end_step) return;
  branch.end_step = now();
  branch.end_t = time();
  if (now() % branch.snapshot_interval == 0) timeline.keep(snapshot());
  keep_history();
}

// To the step that is coming.
bool Session::Impl::may_limit_matter() const {
  const Experiment& e = simulation.experiment();
  return is_multistep(e.stepper) || chooses_steps(e) || coming.limit - coming.t < e.dt + time_slack();
}

// To the last step. The first guess of a multistep code looks at it; others end there or do as they would without it.
bool Session::Impl::limit_may_have_mattered() const {
  const Experiment& e = simulation.experiment();
  if (is_multistep(e.stepper)) return true;
  if (time() != coming.limit) return false;
  const bool is_full_step = time() == std::round(time() / e.dt) * e.dt && coming.limit - coming.t > e.dt - time_slack();
  return chooses_steps(e) || !is_full_step;
}

// The limit of the last step becomes part of the timeline. Along steps that are known, one that ends elsewhere begins a
// branch.
void Session::Impl::keep_limit() {
  const Branch& branch = timeline.current();
  if (branch.limit_at(coming.step) == coming.limit) return;
  if (coming.step < branch.end_step) {
    if (!limit_may_have_mattered()) return;
    timeline.fork(coming.step, coming.t, next_edit);
    ++versions.timeline;
  }
  timeline.current().limits.push_back({coming.step, coming.limit});
}

// For whoever repeats the steps from outside.
void Session::Impl::tell_limit() {
  if (now() == coming.step || coming.limit == told_limit) return;
  told_limit = coming.limit;
  for (const auto& listener : limit_listeners) listener(coming.step, coming.limit);
}

// Multistep codes begin anew here, and will again where this boundary is passed another time.
void Session::Impl::begin_anew() {
  if (!is_multistep(simulation.experiment().stepper)) return;
  simulation.begin_anew();
  if (steps_lie_ahead()) timeline.fork(now(), time(), next_edit);
  timeline.keep_restart(now());
}

void Session::Impl::run(double duration, double every, const Simulation::Observer& on_sample,
                        const Simulation::Observer& on_step, const std::function<double()>& user_before_step) {
  const double end = time() + duration;
  const auto before = [&] {
    const double limit = user_before_step ? std::min(end, user_before_step()) : end;
    apply_due();
    begin_step();
    return prepare_step(up_to_commands(limit));
  };
  const Simulation::Observer after = [&](const Simulation& s) {
    after_step();
    tell_limit();
    return !on_step || on_step(s);
  };
  try {
    simulation.run(duration, every, on_sample, after, before);
  } catch (const SimulationError& e) {
    take_back_begin();
    fail(e);
    throw;
  } catch (...) {
    take_back_begin();
    throw;
  }
}

void Session::Impl::keep_history() {
  History& rows = timeline.current().history;
  if (looks_at_history && rows.wants(time())) rows.sample(time(), channels, values());
}

void Session::Impl::event(Json what) {
  Json message = {{"type", "event"}};
  message.update(what);
  for (const auto& listener : event_listeners) listener(message.dump());
}

// ---- the public face ----

Session::Session(Scene scene, SceneSource source) : impl_(std::make_unique<Impl>(std::move(scene), source)) {}
Session::~Session() = default;
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;

void Session::submit(std::string line, Done done, int client) {
  const std::string mistake = command_mistake(line);
  if (mistake.empty()) return impl_->queue.push_back({Json::parse(line), std::move(done), client});
  if (done) done({false, mistake, "{}", impl_->now(), impl_->time(), 0});
}

void Session::apply_due() { impl_->apply_due(); }
std::size_t Session::pending_count() const { return impl_->queue.size(); }
void Session::step(double limit) { impl_->step(limit); }

void Session::run(double duration, double every, const Simulation::Observer& on_sample,
                  const Simulation::Observer& on_step, const std::function<double()>& before_step) {
  impl_->run(duration, every, on_sample, on_step, before_step);
}

void Session::use_threads(int count) { impl_->simulation.use_threads(count); }
void Session::watch_balance() { impl_->simulation.watch_balance(); }
void Session::check_all(bool every_step) { impl_->simulation.check_all(every_step); }

const Simulation& Session::simulation() const { return impl_->simulation; }
bool Session::playing() const { return impl_->playing; }
double Session::speed() const { return impl_->speed; }
const std::string& Session::failure() const { return impl_->failure; }
int Session::branch() const { return impl_->timeline.current_index(); }
bool Session::is_untouched() const {
  const Branch& branch = impl_->timeline.current();
  return impl_->timeline.branches().size() == 1 && branch.end_step == 0 && branch.edits.empty() &&
         impl_->redo_stack.empty();
}
const SessionVersions& Session::versions() const { return impl_->versions; }
void Session::on_applied(std::function<void(const AppliedCommand&)> f) {
  impl_->applied_listeners.push_back(std::move(f));
}
void Session::on_limit(std::function<void(std::uint64_t, double)> f) { impl_->limit_listeners.push_back(std::move(f)); }
void Session::on_event(std::function<void(const std::string&)> f) { impl_->event_listeners.push_back(std::move(f)); }
const std::vector<WatchedChannel>& Session::channels() const { return impl_->channels; }
std::span<const double> Session::channel_values() { return impl_->values(); }
std::string Session::model_json() const { return impl_->picture().json().dump(); }
std::function<std::string()> Session::model_writer() const {
  return [picture = impl_->picture()] { return picture.json().dump(); };
}
std::string Session::settings_json() const { return impl_->settings_json().dump(); }
std::string Session::run_json() const { return impl_->run_json().dump(); }
std::string Session::timeline_json() const { return impl_->timeline_json().dump(); }

std::string Session::icons_json() const {
  Json icons = Json::array();
  for (const Icon& icon : impl_->design->icons) icons.push_back(icon_json(icon));
  return icons.dump();
}

std::string Session::watches_json() const {
  Json list = Json::array();
  for (const WatchedChannel& c : impl_->channels)
    list.push_back({{"name", c.name},
                    {"expr", c.expression},
                    {"unit", c.unit},
                    {"error", c.error.empty() ? Json(nullptr) : Json(c.error)}});
  return list.dump();
}

void Session::write_frame(std::uint32_t flags, float real_time_factor, std::string& bytes) {
  impl_->write_frame(flags, real_time_factor, bytes);
}

}  // namespace lipkin
