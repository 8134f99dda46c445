// <flexcomp> (MuJoCo 3): a net of points. Each becomes a body that slides along x, y and z with its part of the mass, a
// ball that touches; edges that are held or springy become tendons.
#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <set>

#include "io/mjcf/mjcf_expand.hpp"
#include "io/xml/xml_text.hpp"

namespace lipkin {
namespace {

struct Net {
  std::array<long, 3> count{10, 10, 10};
  int dimension = 2;
  std::vector<Eigen::Vector3d> points;
  std::set<std::pair<int, int>> edges;
  std::vector<bool> is_pinned;

  std::size_t id(long x, long y, long z) const {
    if (dimension == 1) return static_cast<std::size_t>(x);
    if (dimension == 2) return static_cast<std::size_t>(x * count[1] + y);
    return static_cast<std::size_t>((x * count[1] + y) * count[2] + z);
  }
};

std::string text_of(const Eigen::Vector3d& v) { return fmt::format("{} {} {}", v.x(), v.y(), v.z()); }

class FlexcompExpander {
 public:
  FlexcompExpander(ModelImport& import, const MjcfCompiler& compiler)
      : import_(import), compiler_(compiler), log_(import.log()) {}

  void expand(XmlElement& element) {
    std::vector<std::unique_ptr<XmlElement>> old = std::move(element.children);
    element.children.clear();
    for (std::unique_ptr<XmlElement>& child : old) {
      if (child->tag != "flexcomp" || !replace(*child, element)) {
        expand(*child);
        element.adopt(std::move(child));
      }
    }
  }

  // The tendons, in a section of their own.
  void finish() {
    if (!tendons_) return;
    import_.root->adopt(std::move(tendons_));
  }

 private:
  // False where the net is of a kind that is not known here; it is reported where the tree is read.
  bool replace(const XmlElement& flexcomp, XmlElement& into) {
    const ElementReader reader(flexcomp, log_);
    const std::string name = reader.text("name", "flexcomp");
    if (reader.text("dof", "full") != "full" || reader.flag("rigid", false)) return false;
    std::optional<Net> net = make_net(reader);
    if (!net) return false;
    read_pins(reader, *net);
    const MjcfElement element(reader);
    const Pose pose = compiler_.pose(element);
    const double mass = reader.number("mass", 1) / static_cast<double>(net->points.size());
    const double half = reader.number("inertiabox", 0.005), radius = reader.number("radius", 0.005);
    import_.report.add("flexcomp", Treatment::kApproximated,
                       "its points are bodies; it does not resist being bent or sheared", flexcomp.where(), true);
    for (Eigen::Vector3d& p : net->points) p = pose.position + pose.orientation * p;
    for (std::size_t i = 0; i < net->points.size(); ++i)
      add_point(flexcomp, fmt::format("{}_{}", name, i), net->points[i], net->is_pinned[i], mass,
                mass * 2 * half * half / 3, radius, into);
    add_edges(reader, name, *net);
    return true;
  }

  std::optional<Net> make_net(const ElementReader& reader) {
    const std::string type = reader.text("type", "grid");
    Net net;
    net.dimension = static_cast<int>(std::clamp(reader.optional_integer("dim").value_or(2), 1L, 3L));
    const std::vector<double> count = reader.numbers("count", {1, 3}), spacing = reader.numbers("spacing", {1, 3});
    for (std::size_t k = 0; k < count.size(); ++k) net.count[k] = std::clamp(std::lround(count[k]), 1L, 1000000L);
    for (std::size_t k = static_cast<std::size_t>(net.dimension); k < 3; ++k) net.count[k] = 1;
    Eigen::Vector3d step = Eigen::Vector3d::Constant(0.02);
    for (std::size_t k = 0; k < spacing.size(); ++k) step[static_cast<Eigen::Index>(k)] = spacing[k];
    if (type != "grid" && !(type == "circle" && net.dimension == 1 && net.count[0] > 2)) return std::nullopt;
    constexpr std::size_t kElementsPerPoint = 10;
    std::size_t points = 1;
    for (const long n : net.count) points *= static_cast<std::size_t>(n);
    if (points > (kMaxXmlElements - std::min(count_, kMaxXmlElements)) / kElementsPerPoint) {
      reader.error(fmt::format("flexcomp: the count makes more than {} elements, which is the limit", kMaxXmlElements));
      return std::nullopt;
    }
    count_ += kElementsPerPoint * points;
    if (type == "circle")
      make_circle(step.x(), net);
    else
      make_grid(step, net);
    net.is_pinned.assign(net.points.size(), false);
    return net;
  }

  static void add_edge(std::size_t a, std::size_t b, Net& net) {
    net.edges.emplace(static_cast<int>(std::min(a, b)), static_cast<int>(std::max(a, b)));
  }

  // The first and the last of its points are the same one.
  static void make_circle(double spacing, Net& net) {
    const long count = net.count[0] - 1;
    const double turn = 2 * std::numbers::pi / static_cast<double>(count);
    const double radius = spacing / std::sin(turn / 2) / 2;
    for (long i = 0; i < count; ++i) {
      const double angle = turn * static_cast<double>(i);
      net.points.emplace_back(radius * std::cos(angle), radius * std::sin(angle), 0);
      add_edge(static_cast<std::size_t>(i), static_cast<std::size_t>((i + 1) % count), net);
    }
  }

  // Centred; edges along the axes and across each cell.
  static void make_grid(const Eigen::Vector3d& spacing, Net& net) {
    const auto middle = [&](int k, long i) {
      return spacing[k] *
             (static_cast<double>(i) - 0.5 * static_cast<double>(net.count[static_cast<std::size_t>(k)] - 1));
    };
    for (long x = 0; x < net.count[0]; ++x)
      for (long y = 0; y < net.count[1]; ++y)
        for (long z = 0; z < net.count[2]; ++z) {
          net.points.emplace_back(middle(0, x), net.dimension > 1 ? middle(1, y) : 0,
                                  net.dimension > 2 ? middle(2, z) : 0);
          const bool has_x = x > 0, has_y = y > 0, has_z = z > 0;
          if (has_x) add_edge(net.id(x, y, z), net.id(x - 1, y, z), net);
          if (has_y) add_edge(net.id(x, y, z), net.id(x, y - 1, z), net);
          if (has_z) add_edge(net.id(x, y, z), net.id(x, y, z - 1), net);
          if (has_x && has_y) add_edge(net.id(x, y, z), net.id(x - 1, y - 1, z), net);
        }
  }

  // Points that belong to the body around them.
  static void read_pins(const ElementReader& reader, Net& net) {
    const auto pin = [&](std::size_t i) {
      if (i < net.is_pinned.size()) net.is_pinned[i] = true;
    };
    const auto whole = [](double x) { return static_cast<std::size_t>(std::max(0.0, std::min(x, 1e9))); };
    const auto size = static_cast<std::size_t>(net.dimension);
    for (const ElementReader& each : reader.children("pin")) {
      const ElementReader::Count any{1, ElementReader::kAnyNumber};
      for (const double i : each.numbers("id", any)) pin(whole(i));
      const std::vector<double> range = each.numbers("range", any), grid = each.numbers("grid", any),
                                box = each.numbers("gridrange", any);
      for (std::size_t k = 0; k + 1 < range.size(); k += 2)
        for (std::size_t i = whole(range[k]); i <= whole(range[k + 1]) && i < net.is_pinned.size(); ++i) pin(i);
      const auto at = [&](const std::vector<double>& v, std::size_t k, std::size_t axis) {
        return axis < size ? std::lround(v[k + axis]) : 0L;
      };
      for (std::size_t k = 0; k + size <= grid.size(); k += size)
        if (inside(net, at(grid, k, 0), at(grid, k, 1), at(grid, k, 2)))
          pin(net.id(at(grid, k, 0), at(grid, k, 1), at(grid, k, 2)));
      for (std::size_t k = 0; k + 2 * size <= box.size(); k += 2 * size)
        pin_box(net, {at(box, k, 0), at(box, k, 1), at(box, k, 2)},
                {at(box, k + size, 0), at(box, k + size, 1), at(box, k + size, 2)});
    }
  }

  static bool inside(const Net& net, long x, long y, long z) {
    return x >= 0 && y >= 0 && z >= 0 && x < net.count[0] && y < net.count[1] && z < net.count[2];
  }

  static void pin_box(Net& net, const std::array<long, 3>& low, const std::array<long, 3>& high) {
    for (long x = 0; x < net.count[0]; ++x)
      for (long y = 0; y < net.count[1]; ++y)
        for (long z = 0; z < net.count[2]; ++z) {
          const std::array<long, 3> at{x, y, z};
          bool is_in = true;
          for (std::size_t k = 0; k < 3; ++k) is_in = is_in && at[k] >= low[k] && at[k] <= high[k];
          if (is_in && net.id(x, y, z) < net.is_pinned.size()) net.is_pinned[net.id(x, y, z)] = true;
        }
  }

  static void add_point(const XmlElement& flexcomp, const std::string& name, const Eigen::Vector3d& place,
                        bool is_pinned, double mass, double inertia, double radius, XmlElement& into) {
    auto site = made_element(flexcomp, "site", {{"name", name}});
    if (is_pinned) {
      site->attributes.push_back({"pos", text_of(place), flexcomp.line});
      into.adopt(std::move(site));
      return;
    }
    auto body = made_element(flexcomp, "body", {{"name", name}, {"pos", text_of(place)}});
    body->adopt(made_element(
        flexcomp, "inertial",
        {{"pos", "0 0 0"}, {"mass", fmt::format("{}", mass)}, {"diaginertia", fmt::format("{0} {0} {0}", inertia)}}));
    for (const char* axis : {"1 0 0", "0 1 0", "0 0 1"})
      body->adopt(made_element(flexcomp, "joint", {{"type", "slide"}, {"axis", axis}}));
    body->adopt(
        made_element(flexcomp, "geom", {{"type", "sphere"}, {"size", fmt::format("{}", radius)}, {"mass", "0"}}));
    body->adopt(std::move(site));
    into.adopt(std::move(body));
  }

  void add_edges(const ElementReader& reader, const std::string& name, const Net& net) {
    for (const ElementReader& edge : reader.children("edge")) {
      const bool is_held = edge.text("equality", "false") == "true";
      const double stiffness = edge.number("stiffness", 0), damping = edge.number("damping", 0);
      if (!is_held && stiffness == 0 && damping == 0) continue;
      for (const auto& [a, b] : net.edges) {
        const auto first = static_cast<std::size_t>(a), second = static_cast<std::size_t>(b);
        if (net.is_pinned[first] && net.is_pinned[second]) continue;
        const double length = (net.points[first] - net.points[second]).norm();
        auto tendon = made_element(edge.element(), "spatial", {{"name", fmt::format("{}_{}_{}", name, a, b)}});
        const auto put = [&](const char* attribute, std::string value) {
          tendon->attributes.push_back({attribute, std::move(value), edge.element().line});
        };
        if (is_held) put("limited", "true");
        if (is_held) put("range", fmt::format("{0} {0}", length));
        if (stiffness != 0) put("stiffness", fmt::format("{}", stiffness));
        if (damping != 0) put("damping", fmt::format("{}", damping));
        for (const int end : {a, b})
          tendon->adopt(made_element(edge.element(), "site", {{"site", fmt::format("{}_{}", name, end)}}));
        if (!tendons_) tendons_ = made_element(edge.element(), "tendon", {});
        tendons_->adopt(std::move(tendon));
      }
    }
  }

  ModelImport& import_;
  const MjcfCompiler& compiler_;
  ImportLog log_;
  std::unique_ptr<XmlElement> tendons_;
  std::size_t count_ = 0;
};

}  // namespace

std::unique_ptr<XmlElement> made_element(const XmlElement& origin, const char* tag,
                                         std::vector<std::pair<const char*, std::string>> attributes) {
  auto result = std::make_unique<XmlElement>();
  result->tag = tag;
  result->line = origin.line;
  result->file = origin.file;
  for (auto& [name, value] : attributes) result->attributes.push_back({name, std::move(value), origin.line});
  return result;
}

void expand_flexcomps(ModelImport& import, const MjcfCompiler& compiler) {
  FlexcompExpander expander(import, compiler);
  expander.expand(*import.root);
  expander.finish();
}

}  // namespace lipkin
