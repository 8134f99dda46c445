#include "lipkin/recording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/temporary_folder.hpp"
#include "record/mcap.hpp"
#include "record/scene_copy.hpp"

namespace lipkin {

namespace {

using Json = nlohmann::ordered_json;

const std::map<std::string, RecordedItem::Kind> kKinds = {{"/commands", RecordedItem::Kind::kCommand},
                                                          {"/checkpoints", RecordedItem::Kind::kCheckpoint},
                                                          {"/limits", RecordedItem::Kind::kLimit}};

MeshContact mesh_contact_numbered(int number) {
  for (const MeshContact known : {MeshContact::kHull, MeshContact::kDecompose, MeshContact::kMesh})
    if (static_cast<int>(known) == number) return known;
  throw InvalidArgument(fmt::format("the recording names kind {} of contact of meshes, which is not known", number));
}

template <class Kind>
void choose(const Json& name, std::initializer_list<Kind> kinds, Kind& chosen) {
  for (const Kind kind : kinds)
    if (name_of(kind) == name.get<std::string>()) chosen = kind;
}

void put_experiment(const Json& j, Experiment& e) {
  using S = StepperKind;
  using L = SolverKind;
  using Z = StabilizationKind;
  choose(j.at("stepper"), {S::kEuler, S::kMoreau, S::kRk4, S::kDopri5, S::kAdams, S::kBdf}, e.stepper);
  choose(j.at("coordinates"), {CoordinateKind::kGeneralized, CoordinateKind::kMaximal}, e.coordinates);
  choose(j.at("solver"), {L::kImpulses, L::kProx, L::kNewton, L::kDirect, L::kHybrid, L::kLemke}, e.solver);
  choose(j.at("stabilization"), {Z::kNone, Z::kBaumgarte, Z::kProjection, Z::kSplit}, e.stabilization);
  // Files from before these were recorded have those of the scene.
  if (j.contains("contact"))
    choose(j["contact"], {ContactKind::kByStepper, ContactKind::kRigid, ContactKind::kRegularised}, e.contact);
  if (j.contains("step")) choose(j["step"], {StepKind::kFixed, StepKind::kVariable}, e.step);
  e.slip_speed = j.value("slip_speed", e.slip_speed);
  e.dt_min = j.value("dt_min", e.dt_min), e.dt_max = j.value("dt_max", e.dt_max);
  e.dt = j.at("dt"), e.duration = j.at("duration");
  e.relative_tolerance = j.at("relative_tolerance"), e.absolute_tolerance = j.at("absolute_tolerance");
  if (const auto found = j.find("tolerated"); found != j.end()) {
    const Json& t = *found;
    e.tolerated = {t.at(0), t.at(1), t.at(2), t.at(3)};
  } else {
    e.tolerated.anything = true;  // recorded before violations stopped a run
  }
  const Json& s = j.at("solver_options");
  e.solver_options = {s.at(0), s.at(1), s.at(2), s.at(3), s.at(4), s.at(5)};
}

}  // namespace

struct Recording::Impl {
  explicit Impl(const std::filesystem::path& path) : name(path.string()), file(read_mcap(path)) {
    const auto found = file.metadata.find("lipkin");
    if (found == file.metadata.end()) throw InputError({name}, "this MCAP file is no recording of Lipkin");
    about = found->second;
    try {
      read_messages();
    } catch (const nlohmann::json::exception& e) {
      throw InputError({name}, fmt::format("the recording is damaged: {}", e.what()));
    }
    extract_scene();
  }

  void read_messages() {
    traces.push_back({"t", "s", {}});
    for (const McapMessage& message : file.messages) {
      if (message.topic == "/channels") add_row(Json::parse(message.data));
      const auto kind = kKinds.find(message.topic);
      if (kind != kKinds.end()) add_item(kind->second, Json::parse(message.data));
    }
    file.messages.clear();
  }

  void add_item(RecordedItem::Kind kind, const Json& json) {
    RecordedItem item{kind, json.at("step"), json.at("t"), {}, {}, std::numeric_limits<double>::infinity()};
    if (kind == RecordedItem::Kind::kCommand) item.line = json.at("line").dump();
    if (kind == RecordedItem::Kind::kCheckpoint) item.hash = json.at("hash");
    if (kind == RecordedItem::Kind::kLimit && !json.at("limit").is_null()) item.limit = json["limit"];
    items.push_back(std::move(item));
  }

  void add_row(const Json& row) {
    constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
    const std::size_t count = traces.front().values.size();
    traces.front().values.push_back(row.at("t"));
    for (const auto& [key, value] : row.at("values").items()) {
      auto trace =
          std::find_if(traces.begin() + 1, traces.end(), [&, &k = key](const Trace& t) { return t.name == k; });
      if (trace == traces.end()) {
        const auto& units = file.metadata["units"];
        const auto unit = units.find(key);
        traces.push_back({key, unit == units.end() ? "" : unit->second, std::vector<double>(count, kNothing)});
        trace = traces.end() - 1;
      }
      trace->values.push_back(value.is_number() ? value.get<double>() : kNothing);
    }
    for (Trace& trace : traces) trace.values.resize(count + 1, kNothing);
  }

  void extract_scene() const {
    std::vector<SceneText> files;
    for (const auto& [attachment, text] : file.attachments) files.push_back({attachment, text});
    try {
      write_files(files, folder.path());
    } catch (const InvalidArgument& e) {
      throw InputError({name}, e.what());
    }
  }

  std::string value(const std::string& key) const {
    const auto found = about.find(key);
    if (found == about.end()) throw InputError({name}, fmt::format("the recording does not say its {}", key));
    return found->second;
  }

  std::string name;
  McapFile file;
  std::map<std::string, std::string> about;
  std::vector<RecordedItem> items;
  std::vector<Trace> traces;
  TemporaryFolder folder;
};

Recording::Recording(const std::filesystem::path& path) : impl_(std::make_unique<Impl>(path)) {}
Recording::~Recording() = default;
Recording::Recording(Recording&&) noexcept = default;
Recording& Recording::operator=(Recording&&) noexcept = default;

bool Recording::complete() const { return impl_->file.complete; }
const std::string& Recording::scene_name() const { return impl_->about["scene"]; }
const std::string& Recording::version() const { return impl_->about["version"]; }
const std::string& Recording::instruction_set() const { return impl_->about["instruction_set"]; }
double Recording::end() const { return std::strtod(impl_->value("end").c_str(), nullptr); }
const std::vector<RecordedItem>& Recording::items() const { return impl_->items; }
const std::vector<Trace>& Recording::traces() const { return impl_->traces; }

Session Recording::open() const {
  SceneSource source;
  try {
    for (const Json& pair : Json::parse(impl_->value("overrides")))
      source.overrides.emplace_back(pair.at(0), pair.at(1));
    const Json import = Json::parse(impl_->value("import"));
    if (import.at("floating")) source.import_options.base = BaseKind::kFloating;
    source.import_options.ground = import.at("ground");
    source.import_options.self_contact = import.at("self_contact");
    source.import_options.visual_meshes = import.at("visual_meshes");
    source.import_options.mesh_contact = mesh_contact_numbered(import.value("mesh_contact", 0));
    DecompositionOptions& decomposition = source.import_options.decomposition;
    decomposition.tolerance = import.value("mesh_tolerance", decomposition.tolerance);
    decomposition.max_hulls = import.value("mesh_hulls", decomposition.max_hulls);
    source = source_below(impl_->folder.path() / "scene", impl_->value("scene_file"), std::move(source));
    Scene scene = load_scene(source.scene, source.overrides, source.import_options);
    put_experiment(Json::parse(impl_->value("experiment")), scene.experiment);
    return Session(std::move(scene), std::move(source));
  } catch (const nlohmann::json::exception& e) {
    throw InputError({impl_->name}, fmt::format("the recording is damaged: {}", e.what()));
  }
}

Replay::Replay(const Recording& recording, Session& session)
    : recording_(recording), session_(session), limit_(recording.end()) {}

bool Replay::done() const { return next_ == recording_.items().size(); }

std::uint64_t Replay::last_step() const { return recording_.items().empty() ? 0 : recording_.items().back().step; }

void Replay::catch_up() {
  const std::vector<RecordedItem>& items = recording_.items();
  for (; !done() && items[next_].step <= session_.simulation().state().step_count; ++next_) {
    const RecordedItem& item = items[next_];
    if (item.kind == RecordedItem::Kind::kLimit) limit_ = item.limit;
    if (item.kind == RecordedItem::Kind::kCommand) apply(item);
    if (item.kind == RecordedItem::Kind::kCheckpoint) compare(item);
  }
}

void Replay::apply(const RecordedItem& command) {
  std::string error;
  session_.submit(command.line, [&](const CommandAnswer& answer) { error = answer.error; });
  session_.apply_due();
  if (!error.empty() && difference_.empty())
    difference_ = fmt::format("at step {} a command was refused that had been applied: {}", command.step, error);
}

void Replay::compare(const RecordedItem& checkpoint) {
  ++checkpoints_;
  const std::string hash = hash_text(session_.simulation().hash());
  if (hash != checkpoint.hash && difference_.empty())
    difference_ = fmt::format("at step {}, t = {:.6g} s, the state has hash {}, recorded was {}", checkpoint.step,
                              checkpoint.t, hash, checkpoint.hash);
}

}  // namespace lipkin
