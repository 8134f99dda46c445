#include "io/mjcf/mjcf_compiler.hpp"

#include <fmt/format.h>

#include <numbers>

namespace lipkin {
namespace {

constexpr double kShortest = 1e-10;  // below this a direction is none

void read_folder(const ElementReader& compiler, const char* attribute, std::string& folder) {
  if (const std::optional<std::string> written = compiler.text(attribute)) folder = *written;
}

Eigen::Quaterniond from_axes(const std::vector<double>& axes, const ElementReader& reader) {
  Eigen::Vector3d x(axes[0], axes[1], axes[2]), y(axes[3], axes[4], axes[5]);
  const double length = x.norm();
  if (length < kShortest) {
    reader.error_at("xyaxes", "xyaxes: the x axis has no length");
    return Eigen::Quaterniond::Identity();
  }
  x /= length;
  y -= x.dot(y) * x;
  if (y.norm() < kShortest) {
    reader.error_at("xyaxes", "xyaxes: the y axis is along the x axis");
    return Eigen::Quaterniond::Identity();
  }
  y.normalize();
  Eigen::Matrix3d R;
  R << x, y, x.cross(y);
  return Eigen::Quaterniond(R);
}

Eigen::Quaterniond from_quaternion(const std::vector<double>& values, const ElementReader& reader) {
  const Eigen::Vector4d wxyz(values[0], values[1], values[2], values[3]);
  if (!(wxyz.stableNorm() > kShortest)) {
    reader.error_at("quat", "the quaternion 'quat' has zero length");
    return Eigen::Quaterniond::Identity();
  }
  const Eigen::Vector4d unit = wxyz.stableNormalized();
  return {unit[0], unit[1], unit[2], unit[3]};
}

}  // namespace

Eigen::Quaterniond z_towards(const Eigen::Vector3d& direction) {
  return Eigen::Quaterniond::FromTwoVectors(Eigen::Vector3d::UnitZ(), direction);
}

void MjcfCompiler::read(const ElementReader& compiler) {
  const auto choose = [&](const char* attribute, const char* yes, const char* no, bool& value) {
    const std::optional<std::string> written = compiler.text(attribute);
    if (!written) return;
    if (*written != yes && *written != no)
      compiler.error_at(attribute,
                        fmt::format("{} is '{}': expected {} or {}", attribute, shortened(*written), yes, no));
    value = *written == yes;
  };
  choose("angle", "degree", "radian", has_degrees);
  says_angle = says_angle || compiler.has("angle");
  choose("coordinate", "global", "local", is_global);
  has_auto_limits = compiler.flag("autolimits", has_auto_limits);
  bound_mass = compiler.number("boundmass", bound_mass);
  bound_inertia = compiler.number("boundinertia", bound_inertia);
  total_mass = compiler.number("settotalmass", total_mass);
  balances_inertia = compiler.flag("balanceinertia", balances_inertia);
  has_exact_mesh_inertia = compiler.flag("exactmeshinertia", has_exact_mesh_inertia);
  fits_boxes_around = compiler.flag("fitaabb", fits_boxes_around);
  discards_visual = compiler.flag("discardvisual", discards_visual);
  strips_paths = compiler.flag("strippath", strips_paths);
  read_folder(compiler, "assetdir", mesh_folder);
  read_folder(compiler, "meshdir", mesh_folder);
  if (const std::optional<std::string> sequence = compiler.text("eulerseq")) {
    euler_sequence = *sequence;
    if (sequence->size() != 3 || sequence->find_first_not_of("xyzXYZ") != std::string::npos) {
      compiler.error_at("eulerseq",
                        fmt::format("eulerseq is '{}': expected three of x, y, z, X, Y, Z", shortened(*sequence)));
      euler_sequence = "xyz";
    }
  }
  if (const std::optional<std::string> written = compiler.text("inertiafromgeom")) {
    const bool is_auto = *written == "auto";
    inertia_from_geom = is_auto                                   ? InertiaFromGeom::kWhereMissing
                        : compiler.flag("inertiafromgeom", false) ? InertiaFromGeom::kAlways
                                                                  : InertiaFromGeom::kNever;
  }
  if (const std::vector<double> range = compiler.numbers("inertiagrouprange", {2, 2}); !range.empty()) {
    first_inertia_group = static_cast<long>(range[0]);
    last_inertia_group = static_cast<long>(range[1]);
  }
}

double MjcfCompiler::angle(double written) const { return has_degrees ? written * (std::numbers::pi / 180) : written; }

Eigen::Quaterniond MjcfCompiler::from_euler(const Eigen::Vector3d& written) const {
  Eigen::Quaterniond q = Eigen::Quaterniond::Identity();
  for (std::size_t i = 0; i < 3; ++i) {
    const char letter = euler_sequence[i];
    const bool turns_along = letter >= 'x';  // lower case: about axes that turn along, upper case: about fixed ones
    const Eigen::Vector3d axis = Eigen::Vector3d::Unit(letter - (turns_along ? 'x' : 'X'));
    const Eigen::Quaterniond turn(Eigen::AngleAxisd(angle(written[static_cast<Eigen::Index>(i)]), axis));
    q = turns_along ? q * turn : turn * q;
  }
  return q.normalized();
}

Eigen::Quaterniond MjcfCompiler::orientation(const MjcfElement& element) const {
  const ElementReader& reader = element.reader();
  if (const std::vector<double> v = element.numbers("axisangle", {4, 4}); !v.empty()) {
    const Eigen::Vector3d axis(v[0], v[1], v[2]);
    if (axis.norm() > kShortest) return Eigen::Quaterniond(Eigen::AngleAxisd(angle(v[3]), axis.normalized()));
    reader.error_at("axisangle", "axisangle: the axis has no length");
  }
  if (const std::vector<double> v = element.numbers("xyaxes", {6, 6}); !v.empty()) return from_axes(v, reader);
  if (const std::vector<double> v = element.numbers("zaxis", {3, 3}); !v.empty()) {
    const Eigen::Vector3d z(v[0], v[1], v[2]);
    if (z.norm() > kShortest) return z_towards(z);
    reader.error_at("zaxis", "zaxis has no length");
  }
  if (const std::vector<double> v = element.numbers("euler", {3, 3}); !v.empty()) return from_euler({v[0], v[1], v[2]});
  if (const std::vector<double> v = element.numbers("quat", {4, 4}); !v.empty()) return from_quaternion(v, reader);
  return Eigen::Quaterniond::Identity();
}

Pose MjcfCompiler::pose(const MjcfElement& element) const {
  return {element.vector("pos", Eigen::Vector3d::Zero()), orientation(element)};
}

}  // namespace lipkin
