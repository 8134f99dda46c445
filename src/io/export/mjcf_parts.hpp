// What an MJCF file says of shapes, and of what joins points of bodies.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "lipkin/model_builder.hpp"
#include "model/model_compiler.hpp"

namespace lipkin {

inline constexpr double kMjcfFar = 1e10;  // in place of an end that is open: both ends of a range are given, or none

// The attributes pos and quat, each where it says something.
std::string pose_text(const Pose& pose);

// range, damping, stiffness, ... of one degree of freedom.
std::string joint_settings(const JointSpec& joint, int dof);

// Geoms with their contact groups and materials, and the meshes they need.
class MjcfGeoms {
 public:
  explicit MjcfGeoms(const ModelParts& parts);

  // The <geom> of a shape; empty where MJCF has none.
  std::string text(const ShapeSpec& shape, const std::string& indent);

  std::string assets() const;    // the section <asset>, after every geom was written
  std::string contacts() const;  // the section <contact>

  std::size_t lost_shapes() const { return lost_shapes_; }
  std::size_t convex_meshes() const { return convex_meshes_; }
  std::size_t lost_groups() const { return groups_.size() > kMostGroups ? groups_.size() : 0; }
  std::size_t lost_pairs() const;

 private:
  static constexpr std::size_t kMostGroups = 31;  // bits of contype and conaffinity

  std::string contact_text(const ShapeSpec& shape) const;
  std::string form(const ShapeGeometry& geometry);
  std::string mesh(const std::vector<Eigen::Vector3d>& vertices, const std::vector<std::array<int, 3>>& triangles);
  const MaterialSpec* material(const std::string& name) const;

  const ModelParts& parts_;
  std::map<std::string, std::size_t> groups_;  // by name, the nameless one too
  std::vector<unsigned> may_touch_;            // by group: bits of the others
  std::map<std::string, std::string> meshes_;  // definition to name: equal ones once
  std::vector<std::string> definitions_;
  std::size_t lost_shapes_ = 0, convex_meshes_ = 0;
};

// Loops, springs, distances and tendons between points, which become sites.
class MjcfSites {
 public:
  std::vector<std::string> bodies(const ModelParts& parts) const;  // that carry sites
  std::string text(const ModelParts& parts, const std::string& body, const std::string& indent) const;
  std::string loops(const ModelParts& parts) const;  // elements of <equality>
  // Elements of <tendon>: springs and distances.
  std::string tendons(const ModelParts& parts, const ModelData& data) const;
  // Geoms of a body that tendons wrap around.
  std::string wraps(const ModelParts& parts, const std::string& body, const std::string& indent) const;
  static std::string path(const TendonSpec& tendon);  // elements of <spatial>

 private:
  struct Site {
    std::string name, body;
    Pose pose;
  };
  static std::vector<Site> all(const ModelParts& parts);
  static std::string tendon_part(const TendonSpec& tendon, std::size_t part);
};

}  // namespace lipkin
