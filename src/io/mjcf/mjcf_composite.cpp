// <composite type="cable"> (MuJoCo 2.3 and later): bodies in a row, each from one point of a curve to the next, with
// ball joints between them. The other types, which MuJoCo has given up, are left; the reader of the tree names them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <sstream>

#include "io/mjcf/mjcf_expand.hpp"
#include "io/xml/xml_text.hpp"

namespace lipkin {
namespace {

constexpr std::size_t kMostPoints = 500;  // each body lies in the one before it

using Points = std::vector<Eigen::Vector3d>;

std::string text_of(double x, double y, double z) { return fmt::format("{} {} {}", x, y, z); }

class CableExpander {
 public:
  explicit CableExpander(ModelImport& import) : import_(import), log_(import.log()) {}

  void expand(XmlElement& element) {
    std::vector<std::unique_ptr<XmlElement>> old = std::move(element.children);
    element.children.clear();
    for (std::unique_ptr<XmlElement>& child : old) {
      if (child->tag != "composite" || !replace(*child, element)) {
        expand(*child);
        element.adopt(std::move(child));
      }
    }
  }

 private:
  bool replace(const XmlElement& composite, XmlElement& into) {
    const ElementReader reader(composite, log_);
    if (reader.text("type", "") != "cable") return false;
    const Points points = read_points(reader);
    if (points.size() < 2) return true;
    constexpr std::size_t kElementsPerPoint = 5;
    count_ += kElementsPerPoint * points.size();
    if (count_ > kMaxXmlElements) {
      reader.error(fmt::format("cables make more than {} elements, which is the limit", kMaxXmlElements));
      return true;
    }
    const std::optional<ElementReader> geom = reader.child("geom");
    const std::string kind = geom ? geom->text("type", "sphere") : "sphere";
    if (kind != "capsule" && kind != "cylinder" && kind != "box") {
      reader.error(fmt::format("the geom of a cable is a capsule, a cylinder or a box, not a {} (line {})",
                               shortened(kind), composite.line));
      return true;
    }
    const bool is_elastic = !reader.children("plugin").empty();
    import_.report.add("composite", is_elastic ? Treatment::kApproximated : Treatment::kHonoured,
                       is_elastic ? "a cable that does not resist being bent or twisted" : "", composite.where(),
                       is_elastic);
    into.adopt(bodies_along(reader, *geom, points));
    return true;
  }

  // Empty, with a mistake, where they make no cable.
  Points read_points(const ElementReader& reader) {
    Points points;
    const std::vector<double> vertices = reader.numbers("vertex", {6, 3 * kMostPoints});
    for (std::size_t k = 0; k + 2 < vertices.size(); k += 3)
      points.emplace_back(vertices[k], vertices[k + 1], vertices[k + 2]);
    if (!reader.has("vertex")) points = points_of_curve(reader);
    for (std::size_t i = 1; i < points.size(); ++i)
      if (!((points[i] - points[i - 1]).norm() > 1e-12)) {
        reader.error(
            fmt::format("points {} and {} of the cable are the same (line {})", i - 1, i, reader.element().line));
        return {};
      }
    return points;
  }

  static Points points_of_curve(const ElementReader& reader) {
    const std::vector<double> counts = reader.numbers("count", {1, 3}), sizes = reader.numbers("size", {1, 3});
    if (counts.empty() || !(counts[0] >= 2 && counts[0] <= kMostPoints)) {
      reader.error_at("count", fmt::format("count: expected 2 to {} points of a cable", kMostPoints));
      return {};
    }
    Eigen::Vector3d size(1, 0, 0);
    for (std::size_t k = 0; k < sizes.size(); ++k) size[static_cast<Eigen::Index>(k)] = sizes[k];
    const std::vector<double> q = reader.numbers("quat", {4, 4});
    const Eigen::Quaterniond turn =
        q.empty() ? Eigen::Quaterniond::Identity() : Eigen::Quaterniond(q[0], q[1], q[2], q[3]).normalized();
    const auto count = static_cast<int>(counts[0]);
    Points points(static_cast<std::size_t>(count), Eigen::Vector3d::Zero());
    std::istringstream words(reader.text("curve", ""));
    std::string word;
    for (int axis = 0; axis < 3 && words >> word; ++axis) {
      for (int i = 0; i < count; ++i) {
        const double part = static_cast<double>(i) / (count - 1), angle = std::numbers::pi * part * size.z();
        double& x = points[static_cast<std::size_t>(i)][axis];
        if (word == "s") {
          x = part * size.x();
        } else if (word == "cos(s)") {
          x = size.y() * std::cos(angle);
        } else if (word == "sin(s)") {
          x = size.y() * std::sin(angle);
        } else if (word != "0") {
          reader.error_at("curve", fmt::format("'{}': expected s, cos(s), sin(s) or 0", shortened(word)));
          return {};
        }
      }
    }
    for (Eigen::Vector3d& p : points) p = turn * p;
    return points;
  }

  // Frames have x along the edge and turn from edge to edge without twist, as MuJoCo's do (user_util.cc): states mean
  // the same. The first one's y is towards the next edge; of a straight start it is what the shortest turn makes of y.
  static std::vector<Eigen::Quaterniond> frames_along(const Points& points) {
    std::vector<Eigen::Quaterniond> frames;
    const auto edge = [&](std::size_t i) -> Eigen::Vector3d { return (points[i + 1] - points[i]).normalized(); };
    const Eigen::Vector3d x = edge(0);
    const Eigen::Vector3d z = points.size() > 2 ? x.cross(edge(1)) : Eigen::Vector3d::Zero();
    if (z.norm() > 1e-12) {
      Eigen::Matrix3d axes;
      axes << x, z.normalized().cross(x), z.normalized();
      frames.emplace_back(axes);
    } else {
      frames.push_back(Eigen::Quaterniond::FromTwoVectors(Eigen::Vector3d::UnitX(), x));
    }
    for (std::size_t i = 1; i + 1 < points.size(); ++i)
      frames.push_back(Eigen::Quaterniond::FromTwoVectors(edge(i - 1), edge(i)) * frames.back());
    return frames;
  }

  std::unique_ptr<XmlElement> bodies_along(const ElementReader& reader, const ElementReader& geom,
                                           const Points& points) {
    const std::string prefix = reader.text("prefix", ""), initial = reader.text("initial", "ball");
    const std::optional<ElementReader> joint = reader.child("joint");
    const std::vector<Eigen::Quaterniond> frames = frames_along(points);
    std::unique_ptr<XmlElement> inner;
    for (std::size_t i = frames.size(); i-- > 0;) {  // from the far end, each into the one before
      const bool is_first = i == 0, is_last = i + 1 == frames.size();
      const std::string end = is_first ? "_first" : is_last ? "_last" : fmt::format("_{}", i);
      const double length = (points[i + 1] - points[i]).norm();
      const Eigen::Vector3d place = is_first ? Eigen::Vector3d(points[0] + reader.vector("offset", {0, 0, 0}))
                                             : Eigen::Vector3d((points[i] - points[i - 1]).norm(), 0, 0);
      const Eigen::Quaterniond turn = is_first ? frames[0] : frames[i - 1].conjugate() * frames[i];
      auto body = made_element(reader.element(), "body",
                               {{"name", prefix + "B" + end},
                                {"pos", text_of(place.x(), place.y(), place.z())},
                                {"quat", fmt::format("{} {} {} {}", turn.w(), turn.x(), turn.y(), turn.z())}});
      if (is_first && initial == "free")
        body->adopt(made_element(reader.element(), "freejoint", {{"name", prefix + "J" + end}}));
      else if (!is_first || initial != "none")
        body->adopt(ball_joint(reader, joint, prefix + "J" + end));
      body->adopt(piece(geom, fmt::format("{}G{}", prefix, i), length));
      if (is_first || is_last)
        body->adopt(made_element(reader.element(), "site",
                                 {{"name", prefix + "S" + end}, {"pos", text_of(is_last ? length : 0, 0, 0)}}));
      if (inner) body->adopt(std::move(inner));
      inner = std::move(body);
    }
    return inner;
  }

  // `made` with the attributes of the composite's own joint or geom that it does not have yet.
  static std::unique_ptr<XmlElement> copy_with(const XmlElement& origin, const std::vector<std::string>& left_out,
                                               std::unique_ptr<XmlElement> made) {
    for (const XmlAttribute& attribute : origin.attributes)
      if (!made->attribute(attribute.name) && std::ranges::find(left_out, attribute.name) == left_out.end())
        made->attributes.push_back({attribute.name, attribute.value, attribute.line});
    return made;
  }

  static std::unique_ptr<XmlElement> ball_joint(const ElementReader& reader, const std::optional<ElementReader>& joint,
                                                const std::string& name) {
    auto made = made_element(reader.element(), "joint", {{"name", name}, {"type", "ball"}});
    return joint ? copy_with(joint->element(), {"kind", "axis", "pos"}, std::move(made)) : std::move(made);
  }

  static std::unique_ptr<XmlElement> piece(const ElementReader& geom, const std::string& name, double length) {
    auto made = made_element(geom.element(), "geom", {{"name", name}});
    const auto put = [&](const char* attribute, std::string value) {
      made->attributes.push_back({attribute, std::move(value), geom.element().line});
    };
    if (geom.text("type", "") == "box") {
      const std::vector<double> size = geom.numbers("size", {3, 3});
      put("pos", text_of(length / 2, 0, 0));
      if (!size.empty()) put("size", text_of(length / 2, size[1], size[2]));
    } else {
      put("fromto", fmt::format("0 0 0 {} 0 0", length));
    }
    return copy_with(geom.element(), {"pos", "fromto"}, std::move(made));
  }

  ModelImport& import_;
  ImportLog log_;
  std::size_t count_ = 0;  // of elements made
};

}  // namespace

void expand_composites(ModelImport& import) { CableExpander(import).expand(*import.root); }

}  // namespace lipkin
