#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "lipkin/recording.hpp"
#include "lipkin/version.hpp"
#include "record/mcap.hpp"
#include "record/scene_copy.hpp"

namespace lipkin {

namespace {

using Json = nlohmann::ordered_json;

constexpr double kRowInterval = 0.02;        // [s], simulated
constexpr double kCheckpointInterval = 0.5;  // [s], simulated

constexpr const char* kCommandSchema =
    R"({"type":"object","properties":{"step":{"type":"integer"},"t":{"type":"number"},"label":{"type":"string"},"line":{"type":"object"}}})";
constexpr const char* kCheckpointSchema =
    R"({"type":"object","properties":{"step":{"type":"integer"},"t":{"type":"number"},"branch":{"type":"integer"},"hash":{"type":"string"}}})";
constexpr const char* kLimitSchema =
    R"({"type":"object","properties":{"step":{"type":"integer"},"t":{"type":"number"},"limit":{"type":["number","null"]}}})";

// Every channel by its name, so that plots can offer it; null where it has no value.
Json channel_schema(const std::vector<WatchedChannel>& channels) {
  Json values = Json::object();
  for (const WatchedChannel& channel : channels)
    values[channel.name] = {{"type", {"number", "null"}}, {"description", channel.unit}};
  return {{"type", "object"},
          {"properties",
           {{"t", {{"type", "number"}}},
            {"step", {{"type", "integer"}}},
            {"branch", {{"type", "integer"}}},
            {"values", {{"type", "object"}, {"properties", std::move(values)}}}}}};
}

// foxglove.FrameTransforms, so that 3D viewers of MCAP files find the poses.
constexpr const char* kTransformSchema =
    R"({"type":"object","properties":{"transforms":{"type":"array","items":{"type":"object","properties":{"timestamp":{"type":"object","properties":{"sec":{"type":"integer"},"nsec":{"type":"integer"}}},"parent_frame_id":{"type":"string"},"child_frame_id":{"type":"string"},"translation":{"type":"object","properties":{"x":{"type":"number"},"y":{"type":"number"},"z":{"type":"number"}}},"rotation":{"type":"object","properties":{"x":{"type":"number"},"y":{"type":"number"},"z":{"type":"number"},"w":{"type":"number"}}}}}}}})";

Json experiment_json(const Experiment& e) {
  const SolverOptions& s = e.solver_options;
  const Tolerated& t = e.tolerated;
  return {{"stepper", name_of(e.stepper)},
          {"coordinates", name_of(e.coordinates)},
          {"solver", name_of(e.solver)},
          {"stabilization", name_of(e.stabilization)},
          {"contact", name_of(e.contact)},
          {"slip_speed", e.slip_speed},
          {"step", name_of(e.step)},
          {"dt", e.dt},
          {"dt_min", e.dt_min},
          {"dt_max", e.dt_max},
          {"duration", e.duration},
          {"relative_tolerance", e.relative_tolerance},
          {"absolute_tolerance", e.absolute_tolerance},
          {"tolerated", {t.length, t.angle, t.rate, t.anything}},
          {"solver_options", {s.max_iterations, s.tolerance, s.impulse_epsilon, s.time_limit, s.relaxation, s.jacobi}}};
}

// Folders of packages are not kept: their files are, at their places below one folder.
Json import_json(const ImportOptions& options) {
  return {{"floating", options.base == BaseKind::kFloating},
          {"ground", options.ground},
          {"self_contact", options.self_contact},
          {"visual_meshes", options.visual_meshes},
          {"mesh_contact", static_cast<int>(options.mesh_contact)},
          {"mesh_tolerance", options.decomposition.tolerance},
          {"mesh_hulls", options.decomposition.max_hulls}};
}

std::string media_type(const std::filesystem::path& name) {
  const std::string ending = name.extension().string();
  if (ending == ".yaml" || ending == ".yml") return "application/yaml";
  return ending == ".xml" || ending == ".urdf" ? "application/xml" : "application/octet-stream";
}

// Before the file is touched.
Session& from_the_start(Session& session) {
  if (session.is_untouched()) return session;
  throw InvalidArgument(
      "the session has gone on already, and a recording begins where the scene does: begin it before the first step "
      "and "
      "the first edit");
}

Json number(double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); }

}  // namespace

struct SessionRecorder::Impl {
  Impl(const std::filesystem::path& path, Session& s, const SceneSource& source, double end)
      : session(from_the_start(s)), file(path, fmt::format("lipkin {}", version())) {
    const Json overrides(source.overrides);
    const std::vector<SceneText> files = files_to_keep(source);
    file.add_metadata("lipkin", {{"recording", "1"},
                                 {"version", std::string(version())},
                                 {"instruction_set", std::string(instruction_set())},
                                 {"scene", source.scene},
                                 {"scene_file", files.front().name},
                                 {"overrides", overrides.dump()},
                                 {"end", fmt::format("{:.17g}", end)},
                                 {"import", import_json(source.import_options).dump()},
                                 {"experiment", experiment_json(session.simulation().experiment()).dump()}});
    for (const SceneText& text : files) file.add_attachment("scene/" + text.name, media_type(text.name), text.text);
    std::vector<std::pair<std::string, std::string>> units;
    for (const WatchedChannel& channel : session.channels()) units.emplace_back(channel.name, channel.unit);
    file.add_metadata("units", units);
    commands = file.add_channel("/commands", "lipkin.Command", kCommandSchema);
    checkpoints = file.add_channel("/checkpoints", "lipkin.Checkpoint", kCheckpointSchema);
    limits = file.add_channel("/limits", "lipkin.Limit", kLimitSchema);
    channels = file.add_channel("/channels", "lipkin.Channels", channel_schema(session.channels()).dump());
    events = file.add_channel("/events", "lipkin.Event", R"({"type":"object"})");
    transforms = file.add_channel("/tf", "foxglove.FrameTransforms", kTransformSchema);
    last_t = t();
    add_checkpoint();
    add_row();
    file.flush();
  }

  double t() const { return session.simulation().state().t; }
  std::uint64_t step() const { return session.simulation().state().step_count; }

  // Time that never runs back: what was simulated altogether [ns].
  std::uint64_t clock() {
    if (t() > last_t) elapsed += t() - last_t;
    last_t = t();
    return static_cast<std::uint64_t>(elapsed * 1e9);
  }

  void add_command(const AppliedCommand& c) {
    if (finished) return;
    const Json message = {{"step", c.step},
                          {"t", c.t},
                          {"branch", c.branch},
                          {"label", c.label},
                          {"energy_jump", number(c.energy_jump)},
                          {"line", Json::parse(c.line)}};
    file.add_message(commands, clock(), message.dump());
    file.flush();
    next_row = next_checkpoint = 0;
  }

  // From a step on; null: without end.
  void add_limit(std::uint64_t from, double limit) {
    if (finished) return;
    const Json message = {{"step", from}, {"t", t()}, {"limit", number(limit)}};
    file.add_message(limits, clock(), message.dump());
  }

  void add_event(const std::string& event) {
    if (finished) return;
    file.add_message(events, clock(), event);
    file.flush();
  }

  void add_checkpoint() {
    const Json message = {
        {"step", step()}, {"t", t()}, {"branch", session.branch()}, {"hash", hash_text(session.simulation().hash())}};
    file.add_message(checkpoints, clock(), message.dump());
    next_checkpoint = elapsed + kCheckpointInterval;
  }

  void add_row() {
    const std::span<const double> values = session.channel_values();
    Json row = {{"t", t()}, {"step", step()}, {"branch", session.branch()}, {"values", Json::object()}};
    for (std::size_t i = 0; i < values.size(); ++i) row["values"][session.channels()[i].name] = number(values[i]);
    const std::uint64_t now = clock();
    file.add_message(channels, now, row.dump());
    file.add_message(transforms, now, transforms_json(now).dump());
    next_row = elapsed + kRowInterval;
  }

  Json transforms_json(std::uint64_t now) {
    constexpr std::uint64_t kSecond = 1000000000;
    session.simulation().body_motions(motions);
    Json list = Json::array();
    for (std::size_t b = 0; b < motions.size(); ++b) {
      const Eigen::Vector3d& p = motions[b].pose.position;
      const Eigen::Quaterniond& r = motions[b].pose.orientation;
      list.push_back({{"timestamp", {{"sec", now / kSecond}, {"nsec", now % kSecond}}},
                      {"parent_frame_id", kWorldName},
                      {"child_frame_id", session.simulation().model().body_name(static_cast<int>(b))},
                      {"translation", {{"x", p.x()}, {"y", p.y()}, {"z", p.z()}}},
                      {"rotation", {{"x", r.x()}, {"y", r.y()}, {"z", r.z()}, {"w", r.w()}}}});
    }
    return {{"transforms", std::move(list)}};
  }

  Session& session;
  McapWriter file;
  std::uint16_t commands = 0, checkpoints = 0, limits = 0, channels = 0, events = 0, transforms = 0;
  double elapsed = 0, last_t = 0, next_row = 0, next_checkpoint = 0;  // [s]
  bool finished = false;
  std::vector<BodyMotion> motions;
};

SessionRecorder::SessionRecorder(const std::filesystem::path& path, Session& session, const SceneSource& source,
                                 double end)
    : impl_(std::make_shared<Impl>(path, session, source, end)) {
  const std::weak_ptr<Impl> recorder = impl_;
  session.on_applied([recorder](const AppliedCommand& command) {
    if (const auto alive = recorder.lock()) alive->add_command(command);
  });
  session.on_limit([recorder](std::uint64_t from, double limit) {
    if (const auto alive = recorder.lock()) alive->add_limit(from, limit);
  });
  session.on_event([recorder](const std::string& event) {
    if (const auto alive = recorder.lock()) alive->add_event(event);
  });
}
SessionRecorder::~SessionRecorder() = default;

void SessionRecorder::after_step() {
  Impl& r = *impl_;
  r.clock();
  constexpr double kSlack = 1e-9;
  const bool row = r.elapsed >= r.next_row - kSlack, checkpoint = r.elapsed >= r.next_checkpoint - kSlack;
  if (row) r.add_row();
  if (checkpoint) r.add_checkpoint();
  if (row || checkpoint) r.file.flush();
}

void SessionRecorder::finish() {
  impl_->add_row();
  impl_->add_checkpoint();
  impl_->finished = true;
  impl_->file.finish();
}

}  // namespace lipkin
