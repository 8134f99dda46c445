#include "collision/feature_clip.hpp"

#include <algorithm>
#include <array>

namespace lipkin {

namespace {

struct Point2 {
  double x = 0, y = 0;
};

double cross(const Point2& a, const Point2& b) { return a.x * b.y - a.y * b.x; }
Point2 operator-(const Point2& a, const Point2& b) { return {a.x - b.x, a.y - b.y}; }
Point2 between(const Point2& a, const Point2& b, double t) { return {a.x + t * (b.x - a.x), a.y + t * (b.y - a.y)}; }

// A feature seen along the normal: corners in the plane, and its height over it as a linear function.
struct Outline {
  int count = 0;
  std::array<Point2, FlatFeature::kMaxCount> corner;
  std::array<std::uint64_t, FlatFeature::kMaxCount> edge_label;  // of the edge from corner k to k + 1
  double height0 = 0;
  Point2 slope;

  double height(const Point2& p) const { return height0 + slope.x * p.x + slope.y * p.y; }
};

struct View {
  Vec3d x, y, z;

  explicit View(const Vec3d& normal) : x(any_perpendicular(normal)), y(lipkin::cross(normal, x)), z(normal) {}
  Point2 flatten(const Vec3d& p) const { return {dot(x, p), dot(y, p)}; }
  Vec3d lift(const Point2& p, double height) const { return p.x * x + p.y * y + height * z; }
};

// The plane of a polygon by Newell's sums, or along an edge.
void set_height(const FlatFeature& f, const View& view, Outline& o) {
  const auto count = static_cast<std::size_t>(f.count);
  if (f.count == 2) {
    const Point2 d = o.corner[1] - o.corner[0];
    const double along = d.x * d.x + d.y * d.y;
    const double rise = dot(view.z, f.points[1] - f.points[0]);
    o.slope = along > 0 ? Point2{rise * d.x / along, rise * d.y / along} : Point2{};
  } else {
    Vec3d n = Vec3d::zero();
    for (std::size_t k = 0; k < count; ++k)
      n += lipkin::cross(f.points[k] - f.points[0], f.points[(k + 1) % count] - f.points[0]);
    const double upright = dot(n, view.z);
    if (upright != 0) o.slope = {-dot(n, view.x) / upright, -dot(n, view.y) / upright};
  }
  const Point2& p = o.corner[0];
  o.height0 = dot(view.z, f.points[0]) - o.slope.x * p.x - o.slope.y * p.y;
}

Outline outline_of(const FlatFeature& f, const View& view, std::uint64_t side) {
  Outline o;
  o.count = f.count;
  const auto count = static_cast<std::size_t>(f.count);
  double twice_area = 0;
  for (std::size_t k = 0; k < count; ++k) o.corner[k] = view.flatten(f.points[k]);
  for (std::size_t k = 0; k < count; ++k)
    twice_area += cross(o.corner[k] - o.corner[0], o.corner[(k + 1) % count] - o.corner[0]);
  set_height(f, view, o);
  std::array<std::uint32_t, FlatFeature::kMaxCount> ids = f.ids;
  if (twice_area < 0) {  // counter-clockwise from here on
    std::reverse(o.corner.begin(), o.corner.begin() + f.count);
    std::reverse(ids.begin(), ids.begin() + f.count);
  }
  for (std::size_t k = 0; k < count; ++k) {
    const std::uint32_t a = ids[k], b = ids[(k + 1) % count];
    o.edge_label[k] = feature_id(side, std::min(a, b), std::max(a, b));
  }
  return o;
}

// A polygon under the knife. A corner is named by the edges that meet in it, so that it keeps its name while they do.
struct Work {
  static constexpr int kMaxCount = 2 * FlatFeature::kMaxCount;
  int count = 0;
  std::array<Point2, kMaxCount> corner;
  std::array<std::uint64_t, kMaxCount> edge_label;

  void add(const Point2& p, std::uint64_t label) {
    if (count == kMaxCount) return;
    corner[static_cast<std::size_t>(count)] = p;
    edge_label[static_cast<std::size_t>(count)] = label;
    ++count;
  }
};

double length_of(const Point2& a) { return std::sqrt(a.x * a.x + a.y * a.y); }

// The line from a to b.
class Line {
 public:
  Line(const Point2& a, const Point2& b) : a_(a), d_(b - a) {
    const double length = length_of(d_);
    if (length > 0) d_ = {d_.x / length, d_.y / length};
  }
  // How far p lies left of it [m].
  double left(const Point2& p) const { return cross(d_, p - a_); }

 private:
  Point2 a_, d_;
};

// Sutherland and Hodgman (1974): what lies left of the line. Corners on the line up to `noise` stay.
void cut(const Work& in, const Line& line, std::uint64_t label, double noise, Work& out) {
  out.count = 0;
  const auto count = static_cast<std::size_t>(in.count);
  double side_i = line.left(in.corner[0]);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t j = i + 1 < count ? i + 1 : 0;
    const double side_j = line.left(in.corner[j]);
    const bool keep_i = side_i >= -noise, keep_j = side_j >= -noise;
    if (keep_i) out.add(in.corner[i], in.edge_label[i]);
    if (keep_i != keep_j) {
      const double t = std::clamp(side_i / (side_i - side_j), 0.0, 1.0);
      out.add(between(in.corner[i], in.corner[j], t), keep_i ? label : in.edge_label[i]);
    }
    side_i = side_j;
  }
}

double width_of(const Outline& o) {
  double width = 0;
  for (std::size_t k = 1; k < static_cast<std::size_t>(o.count); ++k)
    width = std::max(width, length_of(o.corner[k] - o.corner[0]));
  return width;
}

class Clipper {
 public:
  Clipper(const View& view, const Outline& first, const Outline& second, double limit, Manifold& manifold)
      : view_(view),
        first_(first),
        second_(second),
        limit_(limit),
        noise_(1e-12 * (width_of(first) + width_of(second))),
        manifold_(manifold) {}

  void polygons() {
    std::array<Work, 2> buffers;
    Work *work = &buffers[0], *next = &buffers[1];
    for (int k = 0; k < first_.count; ++k)
      work->add(first_.corner[static_cast<std::size_t>(k)], first_.edge_label[static_cast<std::size_t>(k)]);
    for (int k = 0; k < second_.count && work->count > 0; ++k) {
      const auto i = static_cast<std::size_t>(k), j = static_cast<std::size_t>((k + 1) % second_.count);
      cut(*work, Line(second_.corner[i], second_.corner[j]), second_.edge_label[i], noise_, *next);
      std::swap(work, next);
    }
    for (int k = 0; k < work->count; ++k) {
      const auto i = static_cast<std::size_t>(k), before = static_cast<std::size_t>(k > 0 ? k - 1 : work->count - 1);
      const auto [least, most] = std::minmax(work->edge_label[before], work->edge_label[i]);
      add(work->corner[i], feature_id(least, most));
    }
  }

  void edge_in_polygon(const Outline& edge, const Outline& polygon) {
    Range range(edge.edge_label[0]);
    for (int k = 0; k < polygon.count; ++k) {
      const auto i = static_cast<std::size_t>(k), j = static_cast<std::size_t>((k + 1) % polygon.count);
      const Line line(polygon.corner[i], polygon.corner[j]);
      range.keep_left(line.left(edge.corner[0]), line.left(edge.corner[1]), noise_, polygon.edge_label[i]);
    }
    add_ends(edge, range);
  }

  void parallel_edges() {
    const Point2 d = first_.corner[1] - first_.corner[0], e = second_.corner[1] - second_.corner[0];
    const double length = length_of(d);
    constexpr double kParallelSine = 1e-3;
    if (!(std::abs(cross(d, e)) < kParallelSine * length * length_of(e))) return;
    Range range(first_.edge_label[0]);
    const auto ahead = [&](const Point2& p, const Point2& of) {
      return (d.x * (p.x - of.x) + d.y * (p.y - of.y)) / length;
    };
    const bool same_way = d.x * e.x + d.y * e.y > 0;
    const Point2 &low = second_.corner[same_way ? 0 : 1], &high = second_.corner[same_way ? 1 : 0];
    range.keep_left(ahead(first_.corner[0], low), ahead(first_.corner[1], low), noise_, feature_id(same_way ? 0 : 1));
    range.keep_left(-ahead(first_.corner[0], high), -ahead(first_.corner[1], high), noise_,
                    feature_id(same_way ? 1 : 0));
    add_ends(first_, range);
  }

 private:
  // A part of an edge; each end is named by what cut it.
  struct Range {
    explicit Range(std::uint64_t label) : from_label(feature_id(label, 0)), to_label(feature_id(label, 1)) {}
    double from = 0, to = 1;
    std::uint64_t from_label, to_label;

    void keep_left(double side_at_0, double side_at_1, double noise, std::uint64_t label) {
      const bool keep_0 = side_at_0 >= -noise, keep_1 = side_at_1 >= -noise;
      if (!keep_0 && !keep_1) to = -1;
      if (keep_0 == keep_1) return;
      const double t = std::clamp(side_at_0 / (side_at_0 - side_at_1), 0.0, 1.0);
      if (!keep_0 && t > from - kSameCut) from_label = t > from + kSameCut ? label : std::min(from_label, label);
      if (!keep_0) from = std::max(from, t);
      if (!keep_1 && t < to + kSameCut) to_label = t < to - kSameCut ? label : std::min(to_label, label);
      if (!keep_1) to = std::min(to, t);
    }
    // A cut through a corner is made by both of its edges; which one is ahead is up to rounding.
    static constexpr double kSameCut = 1e-9;
  };

  void add_ends(const Outline& edge, const Range& range) {
    const Point2 d = edge.corner[1] - edge.corner[0];
    if (!((range.to - range.from) * length_of(d) > 4 * noise_)) return;  // it only touches the border
    add(between(edge.corner[0], edge.corner[1], range.from), range.from_label);
    add(between(edge.corner[0], edge.corner[1], range.to), range.to_label);
  }

  void add(const Point2& p, std::uint64_t feature) {
    const double low = first_.height(p), high = second_.height(p);
    if (high - low < limit_)
      manifold_.push_back({feature, high - low, view_.z, view_.lift(p, low), view_.lift(p, high)});
  }

  const View& view_;
  const Outline &first_, &second_;
  double limit_;
  double noise_;  // what counts as on a line: rounding must not decide how a point is named [m]
  Manifold& manifold_;
};

}  // namespace

void clip_features(const FlatFeature& first, const FlatFeature& second, const Vec3d& normal, double limit,
                   Manifold& manifold) {
  if (first.count < 2 || second.count < 2) return;
  const View view(normal);
  const Outline a = outline_of(first, view, 0), b = outline_of(second, view, 1);
  Clipper clipper(view, a, b, limit, manifold);
  if (first.count == 2 && second.count == 2)
    clipper.parallel_edges();
  else if (first.count == 2)
    clipper.edge_in_polygon(a, b);
  else if (second.count == 2)
    clipper.edge_in_polygon(b, a);
  else
    clipper.polygons();
}

}  // namespace lipkin
