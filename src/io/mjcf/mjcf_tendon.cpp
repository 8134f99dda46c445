#include "io/mjcf/mjcf_tendon.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/mjcf/mjcf_joint.hpp"

namespace lipkin {
namespace {

constexpr const char* kNoCounterpart = "only of tendons over one joint, or straight between two sites";

class TendonReader {
 public:
  TendonReader(const MjcfOption& option, MjcfModel& model, ModelImport& import)
      : option_(option), model_(model), import_(import) {}

  void read(const ElementReader& reader) {
    const MjcfElement element = model_.defaults.with_defaults(reader, "", "tendon");
    MjcfTendon tendon;
    tendon.name = element.name();
    tendon.where = reader.where();
    tendon.is_fixed = reader.tag() == "fixed";
    if (tendon.is_fixed)
      read_joints(reader, tendon);
    else
      read_path(reader, tendon);
    for (const char* drawn : {"width", "rgba", "material", "group"})
      reader.note(drawn, Treatment::kIgnored, "tendons are not drawn");
    if (import_.diagnostics.error_count() > 0) return;
    add_forces(element, tendon);
    const auto index = static_cast<int>(model_.tendons.size());
    if (!tendon.name.empty() && !model_.tendon_index.emplace(tendon.name, index).second)
      reader.error(fmt::format("there are two tendons of the name '{}'", shortened(tendon.name)));
    model_.tendons.push_back(std::move(tendon));
  }

 private:
  void read_joints(const ElementReader& reader, MjcfTendon& tendon) {
    for (const ElementReader& part : reader.children("joint")) {
      const int joint = find_named(part, "joint", part.required_text("joint"), model_.joint_index, "joint");
      const double coefficient = part.number("coef", 1);
      if (joint < 0) continue;
      if (!at(model_.joints, joint).is_scalar()) {
        part.error("a tendon runs over hinges and slides only");
        continue;
      }
      tendon.joints.emplace_back(joint, coefficient);
      tendon.reference_length += coefficient * at(model_.joints, joint).reference;
    }
  }

  void read_path(const ElementReader& reader, MjcfTendon& tendon) {
    for (const XmlElement* child : reader.all_children()) {
      const ElementReader part(*child, reader.log());
      if (child->tag == "site") {
        const int site = find_named(part, "site", part.required_text("site"), model_.site_index, "site");
        if (site >= 0) tendon.sites.push_back(site);
      } else if (child->tag == "geom") {
        find_named(part, "geom", part.required_text("geom"), model_.geom_index, "geom");
        if (part.has("sidesite"))
          find_named(part, "sidesite", part.required_text("sidesite"), model_.site_index, "site");
        tendon.is_bent = true;
      } else {
        part.number("divisor", 1);
        tendon.is_bent = true;
      }
    }
    if (is_straight(tendon)) tendon.reference_length = (place(tendon.sites[0]) - place(tendon.sites[1])).norm();
  }

  Eigen::Vector3d place(int site) const {
    const MjcfSite& s = at(model_.sites, site);
    return (at(model_.bodies, s.body).world_pose * s.pose).position;
  }

  bool is_straight(const MjcfTendon& tendon) const {
    return !tendon.is_fixed && !tendon.is_bent && tendon.sites.size() == 2 &&
           model_.moving_body(at(model_.sites, tendon.sites[0]).body) !=
               model_.moving_body(at(model_.sites, tendon.sites[1]).body);
  }

  void add_forces(const MjcfElement& element, const MjcfTendon& tendon) {
    const std::vector<double> range =
        option_.has_limits
            ? read_limited_range(element, "range", "limited", model_.compiler_of(element).has_auto_limits)
            : std::vector<double>();
    const double stiffness = option_.has_springs ? element.linear_coefficient("stiffness") : 0;
    const double damping = option_.has_dampers ? element.linear_coefficient("damping") : 0;
    const std::vector<double> rest = element.numbers("springlength", {1, 2});
    const double friction = option_.has_friction ? element.number("frictionloss", 0) : 0;
    const double armature = element.number("armature", 0);
    const bool is_over_one = is_over_one_joint(tendon);
    if (friction != 0 && !is_over_one) note(element, "frictionloss", "only of tendons over one joint");
    if (armature != 0 && !is_over_one) note(element, "armature", "only of tendons over one joint");
    if (is_straight(tendon)) return add_rope(element, tendon, range, stiffness, damping, rest);
    if (!range.empty() && !limit_joint(tendon, range)) note(element, "range", kNoCounterpart);
    if (is_over_one) return add_to_joint(element, tendon, {stiffness, damping, friction, armature}, rest);
    if (stiffness != 0) note(element, "stiffness", kNoCounterpart);
    if (damping != 0) note(element, "damping", kNoCounterpart);
  }

  static bool is_over_one_joint(const MjcfTendon& tendon) {
    return tendon.is_fixed && tendon.joints.size() == 1 && tendon.joints[0].second != 0;
  }

  // Along the tendon.
  struct TendonForces {
    double stiffness, damping, friction, armature;
  };

  // Its length is c q. Of two springs at one joint: stiffnesses add, and where both are slack weighs by them.
  void add_to_joint(const MjcfElement& element, const MjcfTendon& tendon, const TendonForces& forces,
                    const std::vector<double>& rest) {
    const auto& [index, c] = tendon.joints[0];
    MjcfJoint& joint = at(model_.joints, index);
    joint.damping += std::max(0.0, forces.damping) * c * c;
    joint.friction += std::max(0.0, forces.friction) * std::abs(c);
    joint.armature += std::max(0.0, forces.armature) * c * c;
    if (forces.stiffness <= 0) return;
    if (rest.size() == 2 && rest[0] != rest[1]) return note(element, "stiffness", "a spring with play");
    const double stiffness = forces.stiffness * c * c;
    const double slack = !rest.empty() && rest[0] >= 0 ? rest[0] / c : joint.spring_reference;
    joint.spring_reference =
        (joint.stiffness * joint.spring_reference + stiffness * slack) / (joint.stiffness + stiffness);
    joint.stiffness += stiffness;
  }

  static void note(const MjcfElement& element, const char* attribute, const char* reason) {
    if (const ElementReader* level = element.level_with(attribute)) level->note(attribute, Treatment::kIgnored, reason);
  }

  bool limit_joint(const MjcfTendon& tendon, const std::vector<double>& range) {
    if (!is_over_one_joint(tendon)) return false;
    const auto& [index, coefficient] = tendon.joints[0];
    MjcfJoint& joint = at(model_.joints, index);
    const auto [low, high] = std::minmax({range[0] / coefficient, range[1] / coefficient});
    if (std::max(joint.lower, low) > std::min(joint.upper, high)) return false;
    joint.lower = std::max(joint.lower, low);
    joint.upper = std::min(joint.upper, high);
    return true;
  }

  void add_rope(const MjcfElement& element, const MjcfTendon& tendon, const std::vector<double>& range,
                double stiffness, double damping, const std::vector<double>& rest) {
    const auto attachment = [&](int site) {
      const MjcfSite& s = at(model_.sites, site);
      return Attachment{"", at(model_.bodies, s.body).name, s.pose.position};
    };
    const std::string name = tendon.name.empty() ? fmt::format("tendon {}", model_.tendons.size()) : tendon.name;
    if (!range.empty() && range[1] > 0) {
      DistanceSpec rope;
      rope.name = name;
      rope.a = attachment(tendon.sites[0]);
      rope.b = attachment(tendon.sites[1]);
      rope.lower = std::max(0.0, range[0]);
      rope.upper = range[1];
      rope.where = tendon.where;
      import_.builder.add(std::move(rope));
    }
    if (stiffness <= 0 && damping <= 0) return;
    SpringDamperSpec spring;
    spring.name = name;
    spring.a = attachment(tendon.sites[0]);
    spring.b = attachment(tendon.sites[1]);
    spring.stiffness = std::max(0.0, stiffness);
    spring.damping = std::max(0.0, damping);
    spring.rest_length = !rest.empty() && rest[0] >= 0 ? rest.back() : tendon.reference_length;
    spring.where = tendon.where;
    if (rest.size() == 2 && rest[0] != rest[1])
      if (const ElementReader* level = element.level_with("springlength"))
        level->note("springlength", Treatment::kApproximated, "the spring is slack at the larger length only");
    import_.builder.add(std::move(spring));
  }

  const MjcfOption& option_;
  MjcfModel& model_;
  ModelImport& import_;
};

}  // namespace

void read_mjcf_tendons(const ElementReader& root, const MjcfOption& option, MjcfModel& model, ModelImport& import) {
  TendonReader tendons(option, model, import);
  for (const ElementReader& section : root.children("tendon"))
    for (const XmlElement* child : section.all_children()) tendons.read(ElementReader(*child, section.log()));
}

}  // namespace lipkin
