#include "server/simulation_loop.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <limits>
#include <nlohmann/json.hpp>
#include <thread>

#include "lipkin/version.hpp"

namespace lipkin {

namespace {

using Json = nlohmann::ordered_json;
using Seconds = std::chrono::duration<double>;

constexpr double kFramePeriod = 1.0 / 60;  // [s]
constexpr double kBusy = 0.008;            // steps are taken this long before somebody is looked after [s]
constexpr double kMostLag = 0.1;           // beyond this behind the clock, the clock waits [s]
constexpr std::uint32_t kCannotKeepUp = 2;

// What watchers may do too.
bool is_for_all(const std::string& cmd) {
  constexpr std::string_view kForAll[] = {"watch", "unwatch", "history", "measure", "hash", "take", "follow"};
  return std::find(std::begin(kForAll), std::end(kForAll), cmd) != std::end(kForAll);
}

// Of this thread, without the time others had the processor [s].
double processor_time() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// What may take thousands of steps at once.
bool may_take_long(const std::string& cmd) {
  constexpr std::string_view kLong[] = {"step", "seek", "branch", "undo", "redo", "pose"};
  return std::find(std::begin(kLong), std::end(kLong), cmd) != std::end(kLong);
}

std::string typed(const char* type, const char* key, const std::string& json) {
  return fmt::format(R"({{"type":"{}","{}":{}}})", type, key, json);
}

}  // namespace

SimulationLoop::SimulationLoop(Session session, const ServerOptions& options, Exchange& exchange)
    : session_(std::move(session)), options_(options), exchange_(exchange) {
  session_.on_applied([this](const AppliedCommand& c) {
    Json message = {
        {"type", "edit"},     {"client", c.client}, {"line", Json::parse(c.line)}, {"step", c.step}, {"t", c.t},
        {"branch", c.branch}, {"label", c.label},   {"energy_jump", c.energy_jump}};
    broadcast(message.dump());
  });
  session_.on_event([this](const std::string& event) { broadcast(event); });
  if (options_.plays) session_.submit(R"({"cmd":"play"})");
  session_.apply_due();
}

// ---- messages ----

bool SimulationLoop::handle_messages() {
  exchange_.fetch(messages_);
  for (Incoming& message : messages_) handle(message);
  if (!messages_.empty()) session_.apply_due();
  if (!messages_.empty() && options_.on_command) options_.on_command(session_);
  return !messages_.empty();
}

void SimulationLoop::handle(Incoming& message) {
  switch (message.kind) {
    case Incoming::Kind::kConnect:
      return welcome(message.client);
    case Incoming::Kind::kDisconnect:
      return farewell(message.client);
    case Incoming::Kind::kText:
      return command(message.client, message.text);
    case Incoming::Kind::kScene:
      return exchange_.send(
          {0, std::make_shared<const std::string>(session_.scene_text()), {}, std::move(message.done)});
  }
}

void SimulationLoop::welcome(int client) {
  clients_.push_back(client);
  if (driver_ == 0) driver_ = client;
  Json list = Json::array();
  for (const int each : clients_) list.push_back({{"client", each}, {"role", each == driver_ ? "driver" : "watcher"}});
  const Json hello = {
      {"type", "hello"},
      {"protocol", 1},
      {"version", version()},
      {"client", client},
      {"role", client == driver_ ? "driver" : "watcher"},
      {"clients", list},
      {"limits", {{"message_bytes", 1 << 20}}},
      {"settings", Json::parse(session_.settings_json())},
      {"run", Json::parse(run_json())},
      {"timeline", Json::parse(session_.timeline_json())},
      {"icons", Json::parse(session_.icons_json())},
      {"watches", {{"version", session_.versions().watches}, {"watches", Json::parse(session_.watches_json())}}}};
  std::string open = hello.dump();
  open.pop_back();  // the model follows
  exchange_.send({client, std::make_shared<const std::string>(open + ",\"model\":"), model_text()});
  tell_clients();
}

// What it held is let go; the wheel goes to the one who came next.
void SimulationLoop::farewell(int client) {
  std::erase(clients_, client);
  for (const int drag : drags_[client])
    session_.submit(fmt::format(R"({{"cmd":"drag_end","args":{{"drag":{}}}}})", drag), {}, client);
  drags_.erase(client);
  if (driver_ == client) driver_ = clients_.empty() ? 0 : clients_.front();
  tell_clients();
}

void SimulationLoop::tell_clients() {
  Json list = Json::array();
  for (const int each : clients_) list.push_back({{"client", each}, {"role", each == driver_ ? "driver" : "watcher"}});
  for (const int each : clients_) {
    const Json message = {
        {"type", "clients"}, {"you", each}, {"role", each == driver_ ? "driver" : "watcher"}, {"clients", list}};
    exchange_.send({each, std::make_shared<const std::string>(message.dump())});
  }
}

void SimulationLoop::broadcast(std::string text, std::shared_ptr<LateText> late) {
  const auto shared = std::make_shared<const std::string>(std::move(text));
  for (const int client : clients_) exchange_.send({client, shared, late});
}

// One for all who ask before it changes.
std::shared_ptr<LateText> SimulationLoop::model_text() {
  const State& state = session_.simulation().state();
  const bool same = model_text_ && model_text_version_ == session_.versions().model &&
                    model_text_control_ == state.control && model_text_inputs_ == state.inputs;
  if (same) return model_text_;
  model_text_version_ = session_.versions().model;
  model_text_control_ = state.control;
  model_text_inputs_ = state.inputs;
  return model_text_ = std::make_shared<LateText>(session_.model_writer());
}

void SimulationLoop::send_answer(int client, const std::string& text) {
  exchange_.send({client, std::make_shared<const std::string>(text), {}, {}, true});
}

void SimulationLoop::refuse(int client, const std::string& id, const std::string& why) {
  const Json message = {{"type", "answer"}, {"id", Json::parse(id)}, {"ok", false}, {"error", why}};
  send_answer(client, message.dump());
}

void SimulationLoop::answer(int client, const std::string& id, const CommandAnswer& a) {
  if (!a.ok) return refuse(client, id, a.error);
  const Json message = {{"type", "answer"},
                        {"id", Json::parse(id)},
                        {"ok", true},
                        {"step", a.step},
                        {"t", a.t},
                        {"hash", hash_text(session_.simulation().hash())},
                        {"energy_jump", a.energy_jump},
                        {"result", Json::parse(a.result)}};
  send_answer(client, message.dump());
}

void SimulationLoop::command(int client, const std::string& text) {
  const Json line = Json::parse(text, nullptr, false);
  const Json id_value = line.is_object() ? line.value("id", Json()) : Json();
  const std::string id = id_value.is_structured() ? "null" : id_value.dump();
  const std::string cmd = line.is_object() && line.contains("cmd") && line["cmd"].is_string() ? line["cmd"] : "";
  if (client != driver_ && !is_for_all(cmd)) return refuse(client, id, "you are watching; send 'take' to drive");
  if ((cmd == "take" || cmd == "give" || cmd == "follow") && steer(client, text))
    return answer(client, id,
                  {true, "", "{}", session_.simulation().state().step_count, session_.simulation().state().t, 0});
  if (may_take_long(cmd)) thread_->set(false);
  session_.submit(
      text,
      [this, client, id, cmd, line](const CommandAnswer& a) {
        if (a.ok && cmd == "drag_begin") drags_[client].push_back(Json::parse(a.result).value("drag", 0));
        if (a.ok && cmd == "drag_end") std::erase(drags_[client], line["args"].value("drag", 0));
        answer(client, id, a);
      },
      client);
}

bool SimulationLoop::steer(int client, const std::string& text) {
  const Json line = Json::parse(text);
  const Json args = line.contains("args") && line["args"].is_object() ? line["args"] : Json::object();
  if (line["cmd"] == "follow") {
    const Json body = args.contains("body") && args["body"].is_string() ? args["body"] : Json();
    broadcast(Json{{"type", "follow"}, {"body", body}}.dump());
    return true;
  }
  const Json to_value = args.value("to", Json());
  const int to = line["cmd"] == "take" ? client : to_value.is_number_integer() ? to_value.get<int>() : 0;
  if (std::find(clients_.begin(), clients_.end(), to) == clients_.end()) {
    refuse(client, line.value("id", Json()).dump(), "give: there is no such client");
    return true;
  }
  driver_ = to;
  tell_clients();
  return true;
}

// ---- news ----

std::string SimulationLoop::run_json() const {
  Json run = Json::parse(session_.run_json());
  run["deadline_misses"] = misses_;
  return run.dump();
}

void SimulationLoop::tell_changes() {
  const SessionVersions now = session_.versions();
  if (now.model != told_.model)
    broadcast(fmt::format(R"({{"type":"model","icons":{},"model":)", session_.icons_json()), model_text());
  if (now.settings != told_.settings) broadcast(typed("settings", "settings", session_.settings_json()));
  if (now.watches != told_.watches)
    broadcast(fmt::format(R"({{"type":"watches","version":{},"watches":{}}})", now.watches, session_.watches_json()));
  if (now.run != told_.run) broadcast(typed("run", "run", run_json()));
  if (now.timeline != told_.timeline || now.run != told_.run)  // a pause too: how far it has come
    broadcast(typed("timeline", "timeline", session_.timeline_json()));
  // Who asks for the status hears of a pause at once, and of what is done while it lasts.
  if (now.run != told_.run || (now.timeline != told_.timeline && !session_.playing())) set_status();
  told_ = now;
}

void SimulationLoop::tell_regularly(Clock::time_point now) {
  if (now - last_news_ < std::chrono::seconds(1)) return;
  last_news_ = now;
  if (session_.playing()) {
    broadcast(typed("run", "run", run_json()));
    broadcast(typed("timeline", "timeline", session_.timeline_json()));
  }
  set_status();
}

void SimulationLoop::set_status() {
  Json status = Json::parse(run_json());
  status["scene"] = session_.simulation().model().name();
  status["clients"] = clients_.size();
  exchange_.set_status(status.dump(), report());
}

void SimulationLoop::publish(Clock::time_point now, bool must) {
  const double since = Seconds(now - last_frame_).count();
  if (since < kFramePeriod && !must) return;
  const double factor_time = Seconds(now - factor_wall_).count();
  if (factor_time > 0.5) {
    factor_ = static_cast<float>(std::max(0.0, session_.simulation().state().t - factor_t_) / factor_time);
    factor_wall_ = now;
    factor_t_ = session_.simulation().state().t;
  }
  last_frame_ = now;
  if (clients_.empty()) return;
  session_.write_frame(behind_ ? kCannotKeepUp : 0, factor_, exchange_.frame());
  exchange_.frame_is_written();
}

RealTimeReport SimulationLoop::report() const {
  return {wall_meter_.count(),        misses_,
          wall_meter_.quantile(0.5),  wall_meter_.quantile(0.99),
          wall_meter_.longest(),      work_meter_.quantile(0.5),
          work_meter_.quantile(0.99), static_cast<int>(clients_.size())};
}

// ---- time ----

void SimulationLoop::anchor() {
  anchor_wall_ = Clock::now();
  anchor_t_ = session_.simulation().state().t;
}

double SimulationLoop::step_limit() const {
  return options_.limit ? options_.limit() : std::numeric_limits<double>::infinity();
}

void SimulationLoop::step_until(double target, Clock::time_point deadline) {
  while (session_.playing() && session_.simulation().state().t < std::min(target, step_limit())) {
    const double work_begin = processor_time();
    const Clock::time_point begin = Clock::now();
    const std::uint64_t taken = session_.simulation().state().step_count;
    session_.step(step_limit());
    if (session_.simulation().state().step_count == taken) return;  // a pause, or the end
    if (options_.on_step) options_.on_step(session_);
    const Clock::time_point end = Clock::now();
    wall_meter_.add(Seconds(end - begin).count());
    work_meter_.add(processor_time() - work_begin);
    const double due = (session_.simulation().state().t - anchor_t_) / session_.speed();
    const double late = Seconds(end - anchor_wall_).count() - due;
    const double step = session_.simulation().experiment().dt / session_.speed();
    if (late > std::max(step, kFramePeriod)) ++misses_;
    if (end > deadline) return;
  }
}

// A late simulation slows down: the clock is set to where it is.
void SimulationLoop::keep_time() {
  if (!session_.playing()) return void(was_playing_ = false);
  const double t = session_.simulation().state().t;
  if (!was_playing_ || session_.speed() != was_speed_ || t < anchor_t_) anchor();
  was_playing_ = true;
  was_speed_ = session_.speed();
  const Clock::time_point now = Clock::now();
  const double target = anchor_t_ + Seconds(now - anchor_wall_).count() * session_.speed();
  try {
    step_until(target, now + std::chrono::duration_cast<Clock::duration>(Seconds(kBusy)));
  } catch (const SimulationError&) {
    return;  // the session has told it, and pauses
  } catch (const Error& e) {
    session_.submit(R"({"cmd":"pause"})");
    session_.apply_due();
    return broadcast(Json{{"type", "event"}, {"event", "failed"}, {"message", e.what()}}.dump());
  }
  const double lag = target - session_.simulation().state().t;
  behind_ = lag > kMostLag * session_.speed();
  if (behind_) anchor();
}

void SimulationLoop::wait() {
  const Clock::time_point now = Clock::now();
  double until = session_.playing() ? kFramePeriod : 1;  // [s]
  if (session_.playing()) {
    const double due = (session_.simulation().state().t - anchor_t_) / session_.speed();
    until = std::min(until, due - Seconds(now - anchor_wall_).count());
  }
  if (until <= 0) return;
  last_rest_ = now;
  exchange_.wait_until(now + std::chrono::duration_cast<Clock::duration>(Seconds(until)));
}

// Urgent while it keeps time with rests in between: a simulation too heavy for that would let nobody else run.
bool SimulationLoop::is_urgent() const {
  return session_.playing() && Seconds(Clock::now() - last_rest_).count() < kMostLag;
}

void SimulationLoop::run() {
  last_rest_ = Clock::now();
  last_frame_ = last_news_ = factor_wall_ = last_rest_ - std::chrono::seconds(2);
  thread_.emplace();
  if (options_.on_start) options_.on_start(session_);
  anchor();
  while (!exchange_.stopping()) {
    const bool changed = handle_messages();
    thread_->set(is_urgent());
    keep_time();
    tell_changes();
    const Clock::time_point now = Clock::now();
    publish(now, changed && !session_.playing());
    tell_regularly(now);
    exchange_.deliver();
    wait();
  }
  thread_.reset();
  if (options_.on_stop) options_.on_stop(session_);
  clients_.clear();
  set_status();
  while (!exchange_.deliver()) std::this_thread::yield();
}

}  // namespace lipkin
