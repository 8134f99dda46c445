#include "session/shape_json.hpp"

#include <algorithm>
#include <cmath>

#include "model/convex_hull.hpp"

namespace lipkin {

namespace {

Json vertices_json(const std::vector<Eigen::Vector3d>& points) {
  Json list = Json::array();
  for (const Eigen::Vector3d& p : points)
    for (int k = 0; k < 3; ++k) list.push_back(p[k]);
  return list;
}

Json triangles_json(const std::vector<std::array<int, 3>>& triangles) {
  Json list = Json::array();
  for (const auto& triangle : triangles)
    for (const int corner : triangle) list.push_back(corner);
  return list;
}

Json frustum_json(const char* kind, double bottom, double top, double height) {
  return {{"kind", kind}, {"bottom_radius", bottom}, {"top_radius", top}, {"height", height}};
}

Json geometry_json(const ShapeSphere& s) { return {{"kind", "sphere"}, {"radius", s.radius}}; }
Json geometry_json(const ShapeBox& s) { return {{"kind", "box"}, {"size", vector_json(s.size)}}; }
Json geometry_json(const ShapeCylinder& s) {
  return {{"kind", "cylinder"}, {"radius", s.radius}, {"length", s.length}};
}
Json geometry_json(const ShapeCapsule& s) { return {{"kind", "capsule"}, {"radius", s.radius}, {"length", s.length}}; }
Json geometry_json(const ShapeFrustum& s) { return frustum_json("frustum", s.bottom_radius, s.top_radius, s.height); }
Json geometry_json(const ShapePlane&) { return {{"kind", "plane"}}; }
Json geometry_json(const ShapeCup& s) { return frustum_json("cup", s.bottom_radius, s.top_radius, s.height); }
Json geometry_json(const ShapeHull& s) {
  return {
      {"kind", "hull"}, {"vertices", vertices_json(s.points)}, {"triangles", triangles_json(convex_hull(s.points))}};
}
Json geometry_json(const ShapeMesh& s) {
  return {{"kind", "mesh"}, {"vertices", vertices_json(s.vertices)}, {"triangles", triangles_json(s.triangles)}};
}
Json geometry_json(const ShapeHeightField& s) {
  return {{"kind", "height_field"},
          {"columns", s.columns},
          {"rows", s.rows},
          {"size", {s.size_x, s.size_y}},
          {"heights", s.heights}};
}

double farthest(const std::vector<Eigen::Vector3d>& points) {
  double r = 0;
  for (const Eigen::Vector3d& p : points) r = std::max(r, p.norm());
  return r;
}

double radius_of(const ShapeSphere& s) { return s.radius; }
double radius_of(const ShapeBox& s) { return 0.5 * s.size.norm(); }
double radius_of(const ShapeCylinder& s) { return std::hypot(s.radius, 0.5 * s.length); }
double radius_of(const ShapeCapsule& s) { return s.radius + 0.5 * s.length; }
double radius_of(const ShapeFrustum& s) { return std::hypot(std::max(s.bottom_radius, s.top_radius), s.height); }
double radius_of(const ShapePlane&) { return 0; }
double radius_of(const ShapeCup& s) { return std::hypot(std::max(s.bottom_radius, s.top_radius), s.height); }
double radius_of(const ShapeHull& s) { return farthest(s.points); }
double radius_of(const ShapeMesh& s) { return farthest(s.vertices); }
double radius_of(const ShapeHeightField& s) { return 0.5 * std::hypot(s.size_x, s.size_y); }

}  // namespace

Json shape_json(const ShapeSpec& shape) {
  Json json = std::visit([](const auto& geometry) { return geometry_json(geometry); }, shape.geometry);
  json["pose"] = pose_json(shape.pose);
  json["color"] = shape.color;
  json["contact"] = shape.contact;
  return json;
}

double shape_radius(const ShapeGeometry& geometry) {
  return std::visit([](const auto& g) { return radius_of(g); }, geometry);
}

}  // namespace lipkin
