#include "io/mjcf/mjcf_mass.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>

#include "io/mjcf/mjcf_geom.hpp"
#include "model/shape_mass.hpp"

namespace lipkin {
namespace {

// Changes the principal moments and leaves their axes.
template <typename Change>
void change_moments(MassProperties& mass, const Change& change) {
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(mass.inertia);
  Eigen::Vector3d moments = solver.eigenvalues();
  if (!change(moments)) return;
  mass.inertia = solver.eigenvectors() * moments.asDiagonal() * solver.eigenvectors().transpose();
  mass.inertia = (0.5 * (mass.inertia + mass.inertia.transpose())).eval();
}

// A body of which nothing is known has its centre where the file puts the body, as seen from the body: MuJoCo's way,
// which matters where the mass is bounded from below.
MassProperties unknown_mass(const MjcfBody& body) {
  MassProperties mass;
  mass.com = body.written_pose.position;
  return mass;
}

MassProperties from_geoms(MjcfBody& body, const MjcfModel& model, MjcfAssets& assets) {
  const MjcfCompiler& compiler = model.compiler_of(body.file);
  MassProperties sum = unknown_mass(body);
  for (const int g : body.geoms) {
    const MjcfGeom& geom = at(model.geoms, g);
    if (geom.group < compiler.first_inertia_group || geom.group > compiler.last_inertia_group) continue;
    const std::optional<MassProperties> mass = mass_of(geom, assets);
    if (!mass) {
      body.misses_mesh = true;
    } else if (mass->mass > 0) {
      sum = sum.mass > 0 ? combined(sum, *mass) : *mass;
    } else if (!(sum.mass > 0)) {
      sum.com = geom.pose.position;
    }
  }
  return sum;
}

// Whether A + B >= C holds for the moments, but for the rounding of flat bodies, which are at the limit, and of files
// with few digits: less than a millimetre of radius of gyration, and little beside the largest moment.
bool is_possible(const Eigen::Vector3d& sorted, double mass) {
  const double size = sorted[2];
  return sorted[0] + sorted[1] >= size - std::max(1e-9 * size, std::min(1e-3 * size, 1e-6 * mass));
}

void apply_bounds(MjcfBody& body, const MjcfCompiler& compiler, DiagnosticList& diagnostics) {
  body.mass.mass = std::max(body.mass.mass, compiler.bound_mass);
  if (compiler.bound_inertia > 0)
    change_moments(body.mass, [&](Eigen::Vector3d& moments) {
      const bool is_low = moments.minCoeff() < compiler.bound_inertia;
      moments = moments.cwiseMax(compiler.bound_inertia);
      return is_low;
    });
  if (body.moments) body.moments = body.moments->cwiseMax(compiler.bound_inertia);
  change_moments(body.mass, [&](Eigen::Vector3d& moments) {
    if (is_possible(moments, body.mass.mass)) return false;
    if (!compiler.balances_inertia)
      diagnostics.error(body.where,
                        fmt::format("body '{}': no body has the principal moments of inertia {:.6g}, "
                                    "{:.6g}, {:.6g}: two together must not be less than the third",
                                    shortened(body.name), moments[0], moments[1], moments[2]),
                        "balanceinertia=\"true\" of <compiler> makes them equal");
    moments.setConstant(moments.mean());
    return true;
  });
}

void set_total_mass(MjcfModel& model) {
  double sum = 0;
  for (const MjcfBody& body : model.bodies) sum += body.mass.mass;
  if (!(sum > kMjMinimum)) return;
  const double factor = model.compiler.total_mass / sum;
  for (MjcfBody& body : model.bodies) {
    body.mass.mass *= factor;
    body.mass.inertia *= factor;
  }
}

// A body with joints needs a mass of its own or of what is fixed to it.
void check_moving(const MjcfModel& model, const ElementReader& root) {
  std::vector<double> carried(model.bodies.size(), 0);
  std::vector<bool> misses_mesh(model.bodies.size(), false);
  for (std::size_t i = model.bodies.size(); i-- > 1;) {
    const MjcfBody& body = model.bodies[i];
    carried[i] += body.mass.mass;
    misses_mesh[i] = misses_mesh[i] || body.misses_mesh;
    if (body.joints.empty()) {
      at(carried, body.parent) += carried[i];
      misses_mesh[static_cast<std::size_t>(body.parent)] =
          misses_mesh[static_cast<std::size_t>(body.parent)] || misses_mesh[i];
      continue;
    }
    if (carried[i] >= kMjMinimum) continue;
    if (misses_mesh[i]) {
      root.log().diagnostics.warning(
          body.where, fmt::format("body '{}': its mesh cannot be read, so that it has no mass", shortened(body.name)));
    } else {
      const std::string remedy = body.unsupported.empty()
                                     ? "add an <inertial> or a geom"
                                     : fmt::format("the <{}> in it is not supported", body.unsupported);
      root.log().diagnostics.error(body.where,
                                   fmt::format("body '{}' moves but has no mass: {}", shortened(body.name), remedy));
    }
  }
}

}  // namespace

std::optional<MassProperties> read_mjcf_inertial(const MjcfElement& element, const Pose& pose) {
  const ElementReader& reader = element.reader();
  MassProperties mass;
  mass.mass = reader.required_number("mass");
  if (mass.mass < 0) reader.error_at("mass", fmt::format("inertial mass is {}: expected a number >= 0", mass.mass));
  mass.com = pose.position;
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();
  if (const std::vector<double> d = element.numbers("diaginertia", {3, 3}); !d.empty())
    inertia.diagonal() << d[0], d[1], d[2];
  if (const std::vector<double> f = element.numbers("fullinertia", {6, 6}); !f.empty())
    inertia << f[0], f[3], f[4], f[3], f[1], f[5], f[4], f[5], f[2];
  const Eigen::Matrix3d R = pose.orientation.toRotationMatrix();
  mass.inertia = R * inertia * R.transpose();
  mass.inertia = (0.5 * (mass.inertia + mass.inertia.transpose())).eval();
  return mass;
}

void compute_masses(MjcfModel& model, MjcfAssets& assets, const ElementReader& root) {
  for (std::size_t i = 1; i < model.bodies.size(); ++i) {
    MjcfBody& body = model.bodies[i];
    const MjcfCompiler& compiler = model.compiler_of(body.file);
    const bool is_from_geoms = compiler.inertia_from_geom == InertiaFromGeom::kAlways ||
                               (compiler.inertia_from_geom == InertiaFromGeom::kWhereMissing && !body.inertial);
    if (is_from_geoms) {
      body.moments.reset();
      body.mass = from_geoms(body, model, assets);
    } else if (body.inertial) {
      body.mass = *body.inertial;
    } else {
      body.mass = unknown_mass(body);
    }
    apply_bounds(body, compiler, root.log().diagnostics);
  }
  if (model.compiler.total_mass > 0) set_total_mass(model);
  check_moving(model, root);
}

}  // namespace lipkin
