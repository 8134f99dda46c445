#include "io/mjcf/mjcf_geom.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <cmath>

#include "base/nearest_name.hpp"

namespace lipkin {
namespace {

struct TypeWord {
  const char* word;
  MjcfGeomType type;
  std::size_t size_count;  // numbers that `size` needs
};
constexpr TypeWord kTypes[] = {{"plane", MjcfGeomType::kPlane, 3},
                               {"hfield", MjcfGeomType::kHeightField, 0},
                               {"sphere", MjcfGeomType::kSphere, 1},
                               {"capsule", MjcfGeomType::kCapsule, 2},
                               {"ellipsoid", MjcfGeomType::kEllipsoid, 3},
                               {"cylinder", MjcfGeomType::kCylinder, 2},
                               {"box", MjcfGeomType::kBox, 3},
                               {"mesh", MjcfGeomType::kMesh, 0},
                               {"sdf", MjcfGeomType::kMesh, 0}};

const TypeWord* find_type(const MjcfElement& element) {
  const std::string written = element.text("type", "sphere");
  for (const TypeWord& each : kTypes)
    if (written == each.word) return &each;
  std::vector<std::string> words;
  for (const TypeWord& each : kTypes) words.emplace_back(each.word);
  element.reader().error_at("type", fmt::format("geom type '{}' is unknown", shortened(written)),
                            did_you_mean(written, words));
  return nullptr;
}

// The ends of the axis of a capsule, cylinder, ellipsoid or box.
void read_ends(const MjcfElement& element, MjcfGeom& geom) {
  const std::vector<double> ends = element.numbers("fromto", {6, 6});
  if (ends.empty()) return;
  const Eigen::Vector3d from(ends[0], ends[1], ends[2]), to(ends[3], ends[4], ends[5]);
  const Eigen::Vector3d along = from - to;
  const double half = along.norm() / 2;
  if (!(half > 1e-10)) return element.reader().error_at("fromto", "fromto: the two points are the same");
  const bool has_two_radii = geom.type == MjcfGeomType::kBox || geom.type == MjcfGeomType::kEllipsoid;
  if (has_two_radii) geom.size[1] = geom.size[0];
  geom.size[has_two_radii ? 2 : 1] = half;
  geom.pose = {(from + to) / 2, z_towards(along)};
}

// The shape of a mesh's inertia: half the edges of a box of the same volume and principal moments, longest along z, and
// where that box stands in the mesh.
struct InertiaBox {
  Eigen::Vector3d half;
  Pose pose;
};

InertiaBox inertia_box(const MeshMass& mass) {
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(mass.unit.inertia);
  InertiaBox box;
  Eigen::Matrix3d R;
  Eigen::Vector3d moments;
  for (Eigen::Index k = 0; k < 3; ++k) {  // largest moment first
    moments[k] = solver.eigenvalues()[2 - k];
    R.col(k) = solver.eigenvectors().col(2 - k);
  }
  if (R.determinant() < 0) R.col(2) = -R.col(2);
  for (int k = 0; k < 3; ++k)
    box.half[k] = 0.5 * std::sqrt(std::max(0.0, 6 * (moments.sum() - 2 * moments[k]) / mass.volume));
  box.pose = {mass.unit.com, Eigen::Quaterniond(R)};
  return box;
}

// The same box around the mesh instead of one with its inertia.
void put_around(InertiaBox& box, const ShapeMesh& mesh) {
  const Pose back = inverse(box.pose);
  Eigen::AlignedBox3d bounds;
  for (const Eigen::Vector3d& v : mesh.vertices) bounds.extend(back.orientation * v + back.position);
  box.half = bounds.sizes() / 2;
  box.pose = box.pose * Pose{bounds.center(), Eigen::Quaterniond::Identity()};
}

// A primitive shape that stands for a mesh.
bool fit_to_mesh(const MjcfElement& element, const MjcfModel& model, MjcfAssets& assets, int mesh, MjcfGeom& geom) {
  const MeshMass* mass = assets.mass(mesh, false);
  if (!mass) return false;
  const bool is_around = model.compiler_of(element).fits_boxes_around;
  InertiaBox box = inertia_box(*mass);
  if (is_around) put_around(box, *assets.mesh(mesh));
  const Eigen::Vector3d& h = box.half;
  switch (geom.type) {
    case MjcfGeomType::kSphere:
      geom.size[0] = is_around ? h.maxCoeff() : h.sum() / 3;
      break;
    case MjcfGeomType::kCapsule:
      geom.size[0] = is_around ? std::max(h[0], h[1]) : (h[0] + h[1]) / 2;
      geom.size[1] = std::max(0.0, is_around ? h[2] - geom.size[0] : h[2] - geom.size[0] / 2);
      break;
    case MjcfGeomType::kCylinder:
      geom.size[0] = is_around ? std::max(h[0], h[1]) : (h[0] + h[1]) / 2;
      geom.size[1] = h[2];
      break;
    default:
      geom.size = h;
  }
  geom.size *= element.number("fitscale", 1);
  geom.pose = geom.pose * box.pose;
  return true;
}

// False after a mistake or where the shape cannot be had.
bool read_asset(const MjcfElement& element, const MjcfModel& model, MjcfAssets& assets, MjcfGeom& geom) {
  const ElementReader& reader = element.reader();
  const std::string mesh = element.text("mesh", ""), field = element.text("hfield", "");
  if (geom.type == MjcfGeomType::kHeightField) {
    geom.height_field = find_named(reader, "hfield", field, assets.height_field_index(), "height field");
    return geom.height_field >= 0;
  }
  if (geom.type == MjcfGeomType::kMesh) {
    geom.mesh = find_named(reader, "mesh", mesh, assets.mesh_index(), "mesh");
    return geom.mesh >= 0;
  }
  if (mesh.empty()) return true;
  const int index = find_named(reader, "mesh", mesh, assets.mesh_index(), "mesh");
  if (index < 0) return false;
  if (fit_to_mesh(element, model, assets, index, geom)) return true;
  reader.warning(fmt::format("it has the size of mesh '{}', which cannot be read; left out", shortened(mesh)));
  reader.note(Treatment::kIgnored, "it has the size of a mesh that cannot be read");
  return false;
}

bool has_size(const MjcfElement& element, const MjcfGeom& geom, const TypeWord& type) {
  for (std::size_t k = 0; geom.type != MjcfGeomType::kPlane && k < type.size_count; ++k) {
    const double size = geom.size[static_cast<Eigen::Index>(k)];
    const bool may_be_zero = geom.type == MjcfGeomType::kCapsule && k == 1 && element.has("mesh");
    if (size > 0 || (may_be_zero && size == 0)) continue;
    element.reader().error(fmt::format("geom size {} of a {} is {}: expected a number > 0 (line {})", k + 1, type.word,
                                       size, element.reader().element().line));
    return false;
  }
  return true;
}

void read_contact(const MjcfElement& element, MjcfGeom& geom) {
  geom.contact_type = element.optional_integer("contype").value_or(1);
  geom.contact_affinity = element.optional_integer("conaffinity").value_or(1);
  geom.condim = element.optional_integer("condim").value_or(3);
  geom.priority = element.optional_integer("priority").value_or(0);
  const std::vector<double> friction = element.numbers("friction", {1, 3});
  for (std::size_t k = 0; k < friction.size(); ++k)
    geom.friction[static_cast<Eigen::Index>(k)] = std::max(0.0, friction[k]);
  if (geom.condim != 1 && geom.condim != 3 && geom.condim != 4 && geom.condim != 6)
    element.reader().error_at("condim", fmt::format("condim is {}: expected 1, 3, 4 or 6", geom.condim));
}

// Volume [m^3] and inertia of unit density about the centre, along the shape's axes.
struct Solid {
  double measure = 0;
  Eigen::Vector3d moments = Eigen::Vector3d::Zero();
};

constexpr double kPi = 3.14159265358979323846;

Solid solid_box(const Eigen::Vector3d& h, bool is_shell) {
  const Eigen::Vector3d s = h.cwiseProduct(h);
  if (!is_shell) {
    const double m = 8 * h.prod();
    return {m, m / 3 * Eigen::Vector3d(s[1] + s[2], s[0] + s[2], s[0] + s[1])};
  }
  Solid shell;
  Eigen::Vector3d P = Eigen::Vector3d::Zero();  // second moments of six plates
  for (int k = 0; k < 3; ++k) {
    const double area = 8 * h[(k + 1) % 3] * h[(k + 2) % 3];
    shell.measure += area;
    P[k] += area * s[k];
    P[(k + 1) % 3] += area * s[(k + 1) % 3] / 3;
    P[(k + 2) % 3] += area * s[(k + 2) % 3] / 3;
  }
  shell.moments = {P[1] + P[2], P[0] + P[2], P[0] + P[1]};
  return shell;
}

Solid solid_cylinder(double r, double half, bool is_shell) {
  const double h = 2 * half;
  if (!is_shell) {
    const double m = kPi * r * r * h;
    const double across = m * (3 * r * r + h * h) / 12;
    return {m, {across, across, m * r * r / 2}};
  }
  const double side = 2 * kPi * r * h, disks = 2 * kPi * r * r;
  const double across = side * (6 * r * r + h * h) / 12 + disks * (r * r / 4 + half * half);
  return {side + disks, {across, across, side * r * r + disks * r * r / 2}};
}

Solid solid_capsule(double r, double half, bool is_shell) {
  const double h = 2 * half;
  if (!is_shell) {
    const double tube = kPi * r * r * h, ball = 4 * kPi * r * r * r / 3;
    const double across = tube * (3 * r * r + h * h) / 12 + ball * (2 * r * r / 5 + h * (3 * r + 2 * h) / 8);
    return {tube + ball, {across, across, tube * r * r / 2 + ball * 2 * r * r / 5}};
  }
  // A hemispherical shell has its centre of mass at r / 2.
  const double tube = 2 * kPi * r * h, ball = 4 * kPi * r * r;
  const double across = tube * (6 * r * r + h * h) / 12 + ball * (2 * r * r / 3 + half * half + half * r);
  return {tube + ball, {across, across, tube * r * r + ball * 2 * r * r / 3}};
}

Solid solid_ellipsoid(const Eigen::Vector3d& r) {
  const Eigen::Vector3d s = r.cwiseProduct(r);
  const double m = 4 * kPi / 3 * r.prod();
  return {m, m / 5 * Eigen::Vector3d(s[1] + s[2], s[0] + s[2], s[0] + s[1])};
}

Solid solid_of(const MjcfGeom& geom) {
  const Eigen::Vector3d& s = geom.size;
  switch (geom.type) {
    case MjcfGeomType::kSphere: {
      if (!geom.is_shell) return solid_ellipsoid(Eigen::Vector3d::Constant(s[0]));
      const double area = 4 * kPi * s[0] * s[0];
      return {area, Eigen::Vector3d::Constant(2 * area * s[0] * s[0] / 3)};
    }
    case MjcfGeomType::kCapsule:
      return solid_capsule(s[0], s[1], geom.is_shell);
    case MjcfGeomType::kCylinder:
      return solid_cylinder(s[0], s[1], geom.is_shell);
    case MjcfGeomType::kBox:
      return solid_box(s, geom.is_shell);
    case MjcfGeomType::kEllipsoid:
      return solid_ellipsoid(s);
    default:
      return {};
  }
}

MassProperties placed(const MassProperties& part, const Pose& pose) {
  const Eigen::Matrix3d R = pose.orientation.toRotationMatrix();
  return {part.mass, pose.position + R * part.com, R * part.inertia * R.transpose()};
}

MassProperties times(const MassProperties& part, double factor) {
  return {part.mass * factor, part.com, part.inertia * factor};
}

}  // namespace

std::optional<MjcfGeom> read_mjcf_geom(const MjcfElement& element, const MjcfModel& model, MjcfAssets& assets) {
  const TypeWord* type = find_type(element);
  if (!type) return std::nullopt;
  const ElementReader& reader = element.reader();
  MjcfGeom geom;
  geom.name = element.name();
  geom.type = type->type;
  geom.where = reader.where();
  const std::vector<double> size = element.numbers("size", {1, 3});
  for (std::size_t k = 0; k < size.size(); ++k) geom.size[static_cast<Eigen::Index>(k)] = size[k];
  geom.pose = model.compiler_of(element).pose(element);
  read_ends(element, geom);
  read_contact(element, geom);
  geom.group = element.optional_integer("group").value_or(0);
  geom.mass = element.optional_number("mass");
  geom.density = element.number("density", 1000);
  geom.is_shell = element.flag("shellinertia", false);
  if (geom.is_shell && geom.type == MjcfGeomType::kEllipsoid) {
    reader.note_loss("shellinertia", Treatment::kApproximated, "an ellipsoid is taken as solid");
    geom.is_shell = false;
  }
  if (const std::vector<double> rgba = element.numbers("rgba", {1, 4}); rgba.size() == 4)
    std::copy(rgba.begin(), rgba.end(), geom.color.begin());
  if ((geom.mass && *geom.mass < 0) || geom.density < 0)
    reader.error(
        fmt::format("a geom with mass {} and density {}: expected numbers >= 0", geom.mass.value_or(0), geom.density));
  if (!read_asset(element, model, assets, geom) || !has_size(element, geom, *type)) return std::nullopt;
  return geom;
}

std::optional<MassProperties> mass_of(const MjcfGeom& geom, MjcfAssets& assets) {
  MassProperties unit;
  double measure = 0;
  if (geom.mesh >= 0) {
    if (geom.mass ? *geom.mass == 0 : geom.density == 0) return MassProperties{};
    const MeshMass* mass = assets.mass(geom.mesh, geom.is_shell);
    if (!mass) return std::nullopt;
    measure = mass->volume;
    unit = mass->unit;
  } else {
    const Solid solid = solid_of(geom);
    measure = solid.measure;
    unit = {solid.measure, Eigen::Vector3d::Zero(), solid.moments.asDiagonal()};
  }
  if (!(measure > 0)) return MassProperties{};
  return placed(times(unit, geom.mass ? *geom.mass / measure : geom.density), geom.pose);
}

}  // namespace lipkin
