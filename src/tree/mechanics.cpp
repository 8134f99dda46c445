#include "tree/mechanics.hpp"

#include <algorithm>

#include "tree/coordinates.hpp"
#include "tree/kernels.hpp"
#include "tree/kinematics.hpp"

namespace lipkin {

namespace {

// Momentum of link i about its own origin, along its own axes.
Force<double> link_momentum(const ModelData& model, const KinematicsWork& k, std::size_t i, Motion<double>& V_L) {
  const Mat3<double>& R = k.X_WL[i].R;
  V_L = {transpose_times(R, k.V_WL[i].w), transpose_times(R, k.V_WL[i].v)};
  return model.links[i].inertia * V_L;
}

}  // namespace

void update_kinematics(const ModelData& model, const double* q, const double* u, KinematicsWork& k) {
  kernels().kinematics(model.links.data(), static_cast<int>(model.links.size()), q, u, k.X_WL.data(), k.V_WL.data(),
                       k.S_W.data());
}

double kinetic_energy(const ModelData& model, const KinematicsWork& k, const double* u) {
  double energy = 0;
  for (int j = 0; j < model.u_count; ++j) energy += 0.5 * model.armature[j] * u[j] * u[j];
  for (const RowSpringData& rotor : model.row_springs) {
    if (rotor.armature == 0) continue;
    const double rate = coordinate_rate(rotor.dof, model, u, k);
    energy += 0.5 * rotor.armature * rate * rate;
  }
  for (std::size_t i = 1; i < model.links.size(); ++i) {
    Motion<double> V;
    const Force<double> momentum = link_momentum(model, k, i, V);
    energy += 0.5 * dot(V, momentum);
  }
  return energy;
}

double gravitational_energy(const ModelData& model, const KinematicsWork& k) {
  double energy = 0;
  for (std::size_t i = 1; i < model.links.size(); ++i) {
    const RigidInertia<double>& I = model.rigid_inertia[i];
    energy -= dot(model.gravity, I.m * k.X_WL[i].p + k.X_WL[i].R * I.h);
  }
  return energy;
}

double total_mass(const ModelData& model) {
  double mass = 0;
  for (std::size_t i = 1; i < model.links.size(); ++i) mass += model.rigid_inertia[i].m;
  return mass;
}

Force<double> total_momentum(const ModelData& model, const KinematicsWork& k) {
  Force<double> total = Force<double>::zero();
  for (std::size_t i = 1; i < model.links.size(); ++i) {
    Motion<double> V;
    const Force<double> momentum = link_momentum(model, k, i, V);
    total += to_parent(k.X_WL[i], momentum);
  }
  return total;
}

Vec3<double> center_of_mass(const ModelData& model, const KinematicsWork& k) {
  Vec3<double> moment = Vec3<double>::zero();
  for (std::size_t i = 1; i < model.links.size(); ++i)
    moment += model.rigid_inertia[i].m * k.X_WL[i].p + k.X_WL[i].R * model.rigid_inertia[i].h;
  const double mass = total_mass(model);
  return mass > 0 ? (1 / mass) * moment : Vec3<double>::zero();
}

Vec3<double> center_of_mass_velocity(const ModelData& model, const KinematicsWork& k) {
  Vec3<double> momentum = Vec3<double>::zero();
  for (std::size_t i = 1; i < model.links.size(); ++i) {
    const RigidInertia<double>& I = model.rigid_inertia[i];
    momentum += I.m * k.V_WL[i].v + cross(k.V_WL[i].w, k.X_WL[i].R * I.h);
  }
  const double mass = total_mass(model);
  return mass > 0 ? (1 / mass) * momentum : Vec3<double>::zero();
}

Vec3<double> point_velocity(const KinematicsWork& k, int link, const Vec3<double>& p_W) {
  return k.V_WL[link].v + cross(k.V_WL[link].w, p_W - k.X_WL[link].p);
}

void link_jacobian(const ModelData& model, const KinematicsWork& k, int link, const Vec3<double>& p_W,
                   double* jacobian) {
  const int n = model.u_count;
  std::fill(jacobian, jacobian + 6 * n, 0.0);
  for (int i = link; i > 0; i = model.links[i].parent) {
    const int first = model.links[i].u_index;
    const int last = i + 1 < static_cast<int>(model.links.size()) ? model.links[i + 1].u_index : n;
    for (int j = first; j < last; ++j) {
      const Motion<double> S = model.links[i].alone ? lone_column(model.links[i], k.X_WL[i], j - first) : k.S_W[j];
      const Vec3<double> v = S.v + cross(S.w, p_W - k.X_WL[i].p);
      for (int row = 0; row < 3; ++row) {
        jacobian[row * n + j] = S.w[row];
        jacobian[(3 + row) * n + j] = v[row];
      }
    }
  }
}

void update_joint_forces(const ModelData& model, Workspace& work) {
  std::vector<Force<double>>& F = work.link_force;  // world axes, about each link's origin
  for (std::size_t i = 1; i < model.links.size(); ++i) {
    const LinkWork<double>& body = work.links[i];
    const Inertia6<double>& I = model.links[i].inertia;
    const Mat3<double>& R = work.kinematics.X_WL[i].R;
    Force<double> f = I * body.a + cross(body.V, I * body.V);
    if (work.has_external) f -= work.external[i];
    F[i] = {R * f.n, R * f.f};
  }
  for (std::size_t i = model.links.size() - 1; i > 0; --i) {
    const int parent = model.links[i].parent;
    if (parent == 0) continue;
    const Vec3<double> r = work.kinematics.X_WL[i].p - work.kinematics.X_WL[parent].p;
    F[parent] += Force<double>{F[i].n + cross(r, F[i].f), F[i].f};
  }
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    if (model.joints[j].link > 0) work.joint_force[j] = F[model.joints[j].link];
}

}  // namespace lipkin
