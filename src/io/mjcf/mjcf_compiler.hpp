// The settings of <compiler>, and the poses that depend on them.
#pragma once

#include <Eigen/Geometry>
#include <string>

#include "io/mjcf/mjcf_defaults.hpp"
#include "io/pose_algebra.hpp"
#include "lipkin/model_builder.hpp"

namespace lipkin {

enum class InertiaFromGeom { kNever, kAlways, kWhereMissing };

struct MjcfCompiler {
  bool is_global = false;                       // coordinate="global", of MuJoCo before 2.3: poses in the world
  bool has_degrees = true, says_angle = false;  // whether the file says so
  bool has_auto_limits = true;
  std::string euler_sequence = "xyz";
  double bound_mass = 0, bound_inertia = 0;  // [kg], [kg m^2]
  double total_mass = -1;                    // [kg]; not positive: as it is
  bool balances_inertia = false;
  InertiaFromGeom inertia_from_geom = InertiaFromGeom::kWhereMissing;
  long first_inertia_group = 0, last_inertia_group = 5;
  bool has_exact_mesh_inertia = false;  // of MuJoCo 2.2 to 3.2
  bool fits_boxes_around = false;       // fitaabb
  bool discards_visual = false;
  bool strips_paths = false;
  std::string mesh_folder;

  // Later elements win over earlier ones.
  void read(const ElementReader& compiler);

  // An angle as the file writes it [rad].
  double angle(double written) const;

  Eigen::Quaterniond from_euler(const Eigen::Vector3d& written) const;
  // From quat, axisangle, xyaxes, zaxis or euler.
  Eigen::Quaterniond orientation(const MjcfElement& element) const;
  Pose pose(const MjcfElement& element) const;
};

// Turns z into the direction, by the shortest way.
Eigen::Quaterniond z_towards(const Eigen::Vector3d& direction);

}  // namespace lipkin
