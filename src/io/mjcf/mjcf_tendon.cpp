#include "io/mjcf/mjcf_tendon.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "io/mjcf/mjcf_joint.hpp"
#include "model/eigen_convert.hpp"
#include "model/tendon_path.hpp"

namespace lipkin {
namespace {

// Where every body stands when each hinge and slide is at its spring's reference.
std::vector<Pose> poses_at_springs_rest(const MjcfModel& model) {
  std::vector<Pose> poses(model.bodies.size());
  for (std::size_t b = 1; b < model.bodies.size(); ++b) {
    const MjcfBody& body = model.bodies[b];
    Pose pose = at(poses, body.parent) * body.pose;
    for (const int index : body.joints) {
      const MjcfJoint& joint = at(model.joints, index);
      const double way = joint.spring_reference - joint.reference;
      if (joint.type == JointType::kPrismatic) pose.position += pose.orientation * (way * joint.axis);
      if (joint.type != JointType::kRevolute) continue;
      const Eigen::Quaterniond turn(Eigen::AngleAxisd(way, joint.axis));
      pose = pose * Pose{joint.position - turn * joint.position, turn};
    }
    poses[b] = pose;
  }
  return poses;
}

class TendonReader {
 public:
  TendonReader(const MjcfOption& option, MjcfModel& model, ModelImport& import)
      : option_(option), model_(model), import_(import) {
    for (const MjcfBody& body : model.bodies) at_reference_.push_back(from_eigen(body.world_pose));
    for (const Pose& pose : poses_at_springs_rest(model)) at_springs_rest_.push_back(from_eigen(pose));
  }

  void read(const ElementReader& reader) {
    const MjcfElement element = model_.defaults.with_defaults(reader, "", "tendon");
    MjcfTendon tendon;
    tendon.spec.name = element.name();
    tendon.spec.where = reader.where();
    if (reader.tag() == "fixed")
      read_joints(reader, tendon);
    else
      read_path(reader, tendon);
    for (const char* drawn : {"width", "rgba", "material", "group"})
      reader.note(drawn, Treatment::kIgnored, "for drawing only");
    read_forces(element, tendon);
    if (import_.diagnostics.error_count() > 0) return;
    const auto index = static_cast<int>(model_.tendons.size());
    if (!tendon.spec.name.empty() && !model_.tendon_index.emplace(tendon.spec.name, index).second)
      reader.error(fmt::format("there are two tendons of the name '{}'", shortened(tendon.spec.name)));
    tendon.moves = !tendon.joints.empty() || links_.size() > 1;
    if (!tendon.moves) reader.note(Treatment::kIgnored, "nothing that it runs through can move against the rest");
    links_.clear();
    model_.tendons.push_back(std::move(tendon));
  }

  // Names for those that have none, which may not be another's.
  void name_all() {
    for (std::size_t i = 0; i < model_.tendons.size(); ++i) {
      std::string& name = model_.tendons[i].spec.name;
      if (!name.empty()) continue;
      name = fmt::format("tendon {}", i);
      while (!model_.tendon_index.emplace(name, static_cast<int>(i)).second) name += '_';
    }
  }

 private:
  void read_joints(const ElementReader& reader, MjcfTendon& tendon) {
    for (const ElementReader& part : reader.children("joint")) {
      const int joint = find_named(part, "joint", part.required_text("joint"), model_.joint_index, "joint");
      const double coefficient = part.required_number("coef");
      if (joint < 0) continue;
      const MjcfJoint& j = at(model_.joints, joint);
      if (!j.is_scalar()) {
        part.error("a tendon runs over hinges and slides only");
        continue;
      }
      tendon.joints.emplace_back(joint, coefficient);
      tendon.spec.joints.push_back({j.name, 0, coefficient});
      tendon.reference_length += coefficient * j.reference;
      tendon.spring_length += coefficient * j.spring_reference;
    }
    if (tendon.joints.empty()) reader.error("a fixed tendon needs at least one joint");
  }

  // Beside the part for the model, the same with bodies as links: to know its length.
  void read_path(const ElementReader& reader, MjcfTendon& tendon) {
    TendonData path;
    path.branches.emplace_back();
    int wrap = -1;
    for (const XmlElement* child : reader.all_children()) {
      const ElementReader part(*child, reader.log());
      if (child->tag == "site") {
        const int site = find_named(part, "site", part.required_text("site"), model_.site_index, "site");
        if (site < 0) continue;
        path.branches.back().points.push_back({point_of(site), wrap});
        wrap = -1;
        tendon.spec.path.emplace_back(attachment_of(site));
      } else if (child->tag == "geom") {
        read_wrap(part, tendon, path);
        wrap = static_cast<int>(path.wraps.size()) - 1;
      } else {
        const double divisor = part.required_number("divisor");
        if (divisor <= 0) part.error_at("divisor", "the divisor of a pulley must be positive");
        path.branches.push_back({1 / divisor, {}});
        tendon.spec.path.emplace_back(TendonPulley{divisor});
      }
    }
    if (path.branches.front().points.empty() && path.branches.size() > 1) {  // a pulley stands first
      path.branches.erase(path.branches.begin());
    }
    for (const TendonBranchData& branch : path.branches)
      if (branch.points.size() < 2 && reader.log().diagnostics.error_count() == 0)
        reader.error("a spatial tendon needs two sites or more, also behind a pulley");
    if (wrap >= 0) reader.error("a spatial tendon ends at a site");
    if (import_.diagnostics.error_count() > 0) return;
    const ModelData none;
    tendon.reference_length = tendon_length(none, path, nullptr, nullptr, at_reference_.data());
    tendon.spring_length = tendon_length(none, path, nullptr, nullptr, at_springs_rest_.data());
  }

  void read_wrap(const ElementReader& part, MjcfTendon& tendon, TendonData& path) {
    TendonWrap wrap;
    TendonWrapData data;
    const int index = find_named(part, "geom", part.required_text("geom"), model_.geom_index, "geom");
    if (part.has("sidesite")) {
      const int side = find_named(part, "sidesite", part.required_text("sidesite"), model_.site_index, "site");
      if (side < 0) return;
      wrap.side = attachment_of(side);
      data.has_side = true;
      data.side = point_of(side);
    }
    if (index < 0) return;
    const MjcfGeom& geom = at(model_.geoms, index);
    if (geom.type != MjcfGeomType::kSphere && geom.type != MjcfGeomType::kCylinder)
      return part.error_at("geom", "a tendon wraps around spheres and cylinders only");
    data.is_cylinder = geom.type == MjcfGeomType::kCylinder;
    data.link = geom.body;
    data.X_LG = from_eigen(geom.pose);
    data.radius = geom.size[0];
    links_.insert(model_.moving_body(geom.body));
    wrap.shape = data.is_cylinder ? TendonWrap::Shape::kCylinder : TendonWrap::Shape::kSphere;
    wrap.body = at(model_.bodies, geom.body).name;
    wrap.frame = geom.pose;
    wrap.radius = data.radius;
    path.wraps.push_back(data);
    tendon.spec.path.emplace_back(wrap);
  }

  Attachment attachment_of(int site) {
    const MjcfSite& s = at(model_.sites, site);
    links_.insert(model_.moving_body(s.body));
    return {"", at(model_.bodies, s.body).name, s.pose.position};
  }

  PointData point_of(int site) const {
    const MjcfSite& s = at(model_.sites, site);
    return {"", s.body, from_eigen(s.pose.position)};
  }

  void read_forces(const MjcfElement& element, MjcfTendon& tendon) {
    TendonSpec& spec = tendon.spec;
    const std::vector<double> range =
        read_limited_range(element, "range", "limited", model_.compiler_of(element).has_auto_limits);
    if (!range.empty() && option_.has_limits) {
      if (!spec.joints.empty() || range[0] > 0) spec.lower = range[0];  // a string is never shorter than nothing
      spec.upper = range[1];
    }
    spec.stiffness = option_.has_springs ? std::max(0.0, element.linear_coefficient("stiffness")) : 0;
    spec.damping = option_.has_dampers ? std::max(0.0, element.linear_coefficient("damping")) : 0;
    spec.friction = option_.has_friction ? std::max(0.0, element.number("frictionloss", 0)) : 0;
    spec.armature = std::max(0.0, element.number("armature", 0));
    const std::vector<double> rest = element.numbers("springlength", {1, 2});
    const bool is_given = !rest.empty() && rest[0] >= 0;
    if (spec.stiffness > 0)
      spec.rest = is_given ? std::array<double, 2>{rest.front(), rest.back()}
                           : std::array<double, 2>{tendon.spring_length, tendon.spring_length};
  }

  const MjcfOption& option_;
  MjcfModel& model_;
  ModelImport& import_;
  std::vector<Transform<double>> at_reference_, at_springs_rest_;  // per body
  std::set<int> links_;                                            // of the tendon that is being read
};

// Straight and of one length: held by one row instead of two limits.
bool is_rod(const TendonSpec& spec) {
  const auto is_point = [](const auto& part) { return std::holds_alternative<Attachment>(part); };
  return spec.lower == spec.upper && spec.upper > 0 && spec.path.size() == 2 &&
         std::all_of(spec.path.begin(), spec.path.end(), is_point);
}

}  // namespace

void read_mjcf_tendons(const ElementReader& root, const MjcfOption& option, MjcfModel& model, ModelImport& import) {
  TendonReader tendons(option, model, import);
  for (const ElementReader& section : root.children("tendon"))
    for (const XmlElement* child : section.all_children()) tendons.read(ElementReader(*child, section.log()));
  tendons.name_all();
}

void add_mjcf_tendons(const MjcfModel& model, ModelImport& import) {
  for (const MjcfTendon& tendon : model.tendons) {
    if (!tendon.moves) continue;
    TendonSpec spec = tendon.spec;
    if (is_rod(spec)) {
      DistanceSpec rod{
          spec.name, std::get<Attachment>(spec.path[0]), std::get<Attachment>(spec.path[1]), spec.upper, spec.upper, 0,
          spec.where};
      import.builder.add(std::move(rod));
      spec.lower = -kMjcfUnlimited;
      spec.upper = kMjcfUnlimited;
    }
    import.builder.add(std::move(spec));
  }
}

}  // namespace lipkin
