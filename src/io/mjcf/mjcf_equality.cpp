#include "io/mjcf/mjcf_equality.hpp"

#include <fmt/format.h>

#include <array>
#include <set>

namespace lipkin {
namespace {

class EqualityAdder {
 public:
  EqualityAdder(const MjcfModel& model, ModelImport& import) : model_(model), import_(import) {
    for (const MjcfJoint& joint : model.joints) taken_.insert(joint.name);
    for (const MjcfBody& body : model.bodies) taken_.insert(body.name);
  }

  void add(const ElementReader& reader) {
    const MjcfElement element = model_.defaults.with_defaults(reader, "", "equality");
    if (!element.flag("active", true)) return reader.note(Treatment::kIgnored, "it is not active");
    const std::string& tag = reader.tag();
    if (tag == "connect") {
      add_connect(element);
    } else if (tag == "weld") {
      add_weld(element);
    } else if (tag == "joint") {
      add_joint(element);
    } else if (tag == "tendon") {
      add_tendon(element);
    } else {
      reader.note_loss(Treatment::kIgnored, "not supported");
    }
  }

 private:
  struct Held {
    int body = 0;
    Pose frame;  // in the body
  };

  std::string free_name(const MjcfElement& element) {
    std::string name = element.name();
    if (name.empty()) name = fmt::format("{}_{}", element.reader().tag(), ++count_);
    while (!taken_.insert(name).second) name += '_';
    return name;
  }

  std::optional<Held> read_site(const MjcfElement& element, const char* attribute) {
    const int site = find_named(element.reader(), attribute, element.text(attribute, ""), model_.site_index, "site");
    if (site < 0) return std::nullopt;
    return Held{at(model_.sites, site).body, at(model_.sites, site).pose};
  }

  // The two bodies, at their own frames; the second one is the world where it is not given.
  bool read_bodies(const MjcfElement& element, Held& a, Held& b) {
    a.body = find_named(element.reader(), "body1", element.text("body1", ""), model_.body_index, "body");
    b.body = find_named(element.reader(), "body2", element.text("body2", kWorldName), model_.body_index, "body");
    return a.body >= 0 && b.body >= 0;
  }

  static bool is_between_sites(const MjcfElement& element) { return element.has("site1") || element.has("site2"); }

  bool read_sites(const MjcfElement& element, Held& a, Held& b) {
    const std::optional<Held> first = read_site(element, "site1"), second = read_site(element, "site2");
    if (!first || !second) return false;
    a = *first;
    b = *second;
    return true;
  }

  // From the frame of b to that of a at the reference.
  Pose between(const Held& a, const Held& b) const {
    return inverse(at(model_.bodies, b.body).world_pose) * at(model_.bodies, a.body).world_pose;
  }

  void add_connect(const MjcfElement& element) {
    Held a, b;
    if (is_between_sites(element)) {
      if (!read_sites(element, a, b)) return;
    } else {
      if (!read_bodies(element, a, b)) return;
      a.frame.position = element.vector("anchor", Eigen::Vector3d::Zero());
      b.frame = between(a, b) * a.frame;
    }
    close_loop(element, JointType::kBall, a, b);
  }

  void add_weld(const MjcfElement& element) {
    Held a, b;
    if (is_between_sites(element)) {
      if (!read_sites(element, a, b)) return;
    } else {
      if (!read_bodies(element, a, b)) return;
      const std::vector<double> relative = element.numbers("relpose", {7, 7});
      const bool is_given =
          !relative.empty() && (relative[3] != 0 || relative[4] != 0 || relative[5] != 0 || relative[6] != 0);
      a.frame = is_given ? Pose{{relative[0], relative[1], relative[2]},
                                Eigen::Quaterniond(relative[3], relative[4], relative[5], relative[6]).normalized()}
                         : inverse(between(a, b));
      // The place of relpose is that of the anchor, a point of the second body.
      const Eigen::Vector3d anchor = element.vector("anchor", Eigen::Vector3d::Zero());
      if (!is_given) a.frame.position += a.frame.orientation * anchor;
      b.frame.position = anchor;
      element.optional_number("torquescale");
    }
    close_loop(element, JointType::kFixed, a, b);
  }

  void close_loop(const MjcfElement& element, JointType type, Held a, Held b) {
    if (model_.moving_body(a.body) == model_.moving_body(b.body))
      return element.reader().note(Treatment::kIgnored, "its bodies cannot move against each other");
    if (b.body == 0) std::swap(a, b);
    JointSpec joint;
    joint.name = free_name(element);
    joint.type = type;
    joint.parent = at(model_.bodies, a.body).name;
    joint.child = at(model_.bodies, b.body).name;
    joint.frame_in_parent = a.frame;
    joint.frame_in_child = b.frame;
    joint.closes_loop = true;
    joint.where = element.reader().where();
    import_.builder.add(std::move(joint));
  }

  int read_joint(const MjcfElement& element, const char* attribute) {
    const int joint = find_named(element.reader(), attribute, element.text(attribute, ""), model_.joint_index, "joint");
    if (joint < 0 || at(model_.joints, joint).is_scalar()) return joint;
    element.reader().error_at(attribute,
                              fmt::format("joint '{}' is no hinge or slide", shortened(at(model_.joints, joint).name)));
    return -1;
  }

  // joint1 = polynomial of joint2, both counted from their references.
  void add_joint(const MjcfElement& element) {
    const int first = read_joint(element, "joint1");
    const bool has_second = element.has("joint2");
    const int second = has_second ? read_joint(element, "joint2") : -1;
    if (first < 0 || (has_second && second < 0)) return;
    std::vector<double> c = element.numbers("polycoef", {1, 5});
    if (c.empty()) c = {0, 1};
    c.resize(5);
    const MjcfJoint& a = at(model_.joints, first);
    if (!has_second) return prescribe(element, a.name, "", a.reference + c[0]);
    const MjcfJoint& b = at(model_.joints, second);
    if (c[1] == 0 && c[2] == 0 && c[3] == 0 && c[4] == 0) return prescribe(element, a.name, "", a.reference + c[0]);
    const std::array<double, 5> p = moved_polynomial(c, b.reference);
    GearSpec gear;
    gear.joint = a.name;
    gear.of = b.name;
    add_gear(element, p[1], a.reference + p[0], {p[2], p[3], p[4]}, std::move(gear));
  }

  // Coefficients in x of a polynomial in x - by (Horner, one power at a time).
  static std::array<double, 5> moved_polynomial(const std::vector<double>& c, double by) {
    std::array<double, 5> p{};
    for (std::size_t k = 5; k-- > 0;) {
      for (std::size_t i = 4; i > 0; --i) p[i] = p[i - 1] - by * p[i];
      p[0] = c[k] - by * p[0];
    }
    return p;
  }

  void add_gear(const MjcfElement& element, double ratio, double offset, const std::array<double, 3>& curve,
                GearSpec gear) {
    gear.name = free_name(element);
    gear.ratio = ratio;
    gear.offset = offset;
    if (curve != std::array<double, 3>{}) gear.curve.assign(curve.begin(), curve.end());
    gear.where = element.reader().where();
    import_.builder.add(std::move(gear));
  }

  void prescribe(const MjcfElement& element, const std::string& joint, const std::string& tendon, double q) {
    if (!prescribed_.insert({joint, tendon}).second)
      return element.reader().note(Treatment::kIgnored, "another one holds it already");
    MotorSpec motor;
    motor.name = free_name(element);
    motor.joint = joint;
    motor.tendon = tendon;
    motor.kind = MotorKind::kPosition;
    motor.target.source = q;
    motor.where = element.reader().where();
    import_.builder.add(std::move(motor));
  }

  // tendon1 = polynomial of tendon2, both counted from their lengths at the reference; alone it keeps its length.
  void add_tendon(const MjcfElement& element) {
    const ElementReader& reader = element.reader();
    const int first = find_named(reader, "tendon1", element.text("tendon1", ""), model_.tendon_index, "tendon");
    const bool has_second = element.has("tendon2");
    const int second =
        has_second ? find_named(reader, "tendon2", element.text("tendon2", ""), model_.tendon_index, "tendon") : -1;
    if (first < 0 || (has_second && second < 0)) return;
    std::vector<double> c = element.numbers("polycoef", {1, 5});
    if (c.empty()) c = {0, 1};
    c.resize(5);
    const MjcfTendon& a = at(model_.tendons, first);
    if (!a.moves || (has_second && !at(model_.tendons, second).moves))
      return reader.note(Treatment::kIgnored, "a tendon of which nothing can move");
    if (!has_second) return prescribe(element, "", a.spec.name, a.reference_length + c[0]);
    const MjcfTendon& b = at(model_.tendons, second);
    const std::array<double, 5> p = moved_polynomial(c, b.reference_length);
    GearSpec gear;
    gear.tendon = a.spec.name;
    gear.of_tendon = b.spec.name;
    add_gear(element, p[1], a.reference_length + p[0], {p[2], p[3], p[4]}, std::move(gear));
  }

  const MjcfModel& model_;
  ModelImport& import_;
  std::set<std::string> taken_;
  std::set<std::pair<std::string, std::string>> prescribed_;  // joint or tendon
  int count_ = 0;
};

}  // namespace

void add_mjcf_equalities(const ElementReader& root, const MjcfModel& model, bool is_on, ModelImport& import) {
  EqualityAdder adder(model, import);
  for (const ElementReader& section : root.children("equality"))
    for (const XmlElement* child : section.all_children()) {
      const ElementReader reader(*child, section.log());
      if (is_on)
        adder.add(reader);
      else
        reader.note(Treatment::kIgnored, "switched off by <flag>");
    }
}

}  // namespace lipkin
