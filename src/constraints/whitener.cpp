#include "constraints/whitener.hpp"

#include <algorithm>

#include "base/fetch.hpp"
#include "model/mechanism_size.hpp"

namespace lipkin {

Whitener::Whitener(const ModelData& model, const ZLayout& layout)
    : layout_(layout),
      root_(model.u_count),
      multi_root_(9 * static_cast<std::size_t>(model.multi_count)),
      dV_(model.links.size()),
      path_{layout.z_of_dof(), layout.path_column_of_dof(), root_.data(), multi_root_.data()},
      dense_{layout.z_of_dof(), layout.dense_column_of_dof(), root_.data(), multi_root_.data()} {
  constexpr double kRounding = 1e-20;
  double mass = 0;  // of the mechanism
  for (const RigidInertia<double>& inertia : model.rigid_inertia) mass += inertia.m;
  const double size = mechanism_size(model);
  least_per_force2_ = kRounding / mass;
  least_per_moment2_ = least_per_force2_ / (size * size);
}

void Whitener::factor(const ModelData& model, const double* q, Workspace& work) {
  kernels().factor(model.links.data(), static_cast<int>(model.links.size()), q, work.diag.data(), work.tree(), path_);
}

void Whitener::add(const ModelData& model, Workspace& work, const double* f, int lanes, int count, int link, bool dense,
                   int stride, double* y) const {
  if (link == 0) return;
  const auto whiten = lanes == 4 ? kernels().whiten4 : kernels().whiten8;
  whiten(model.links.data(), work.tree(), dense ? dense_ : path_, link, work.kinematics.X_WL[link].R, f, count, stride,
         y);
}

void Whitener::add(const ModelData& model, Workspace& work, const Force<double>& force, int link, bool dense,
                   double* y) const {
  constexpr int kLanes = 4;
  alignas(64) double f[6 * kLanes] = {};
  for (int k = 0; k < 3; ++k) f[k * kLanes] = force.n[k], f[(3 + k) * kLanes] = force.f[k];
  add(model, work, f, kLanes, 1, link, dense, 0, y);
}

void Whitener::fetch_for(const Link& link, const Workspace& work) const {
  fetch(root_[link.u_index]);
  fetch(path_.column_of_dof[link.u_index]);
  if (link.multi_index >= 0 && !link.principal) fetch(work.multi[link.multi_index].factor);
}

void Whitener::add_joint(const ModelData& model, Workspace& work, int u_index, double impulse, bool dense,
                         double* y) const {
  const int link = layout_.link_of_dof(u_index);
  kernels().whiten_joint(model.links.data(), work.tree(), dense ? dense_ : path_, link,
                         u_index - model.links[link].u_index, impulse, y);
}

void Whitener::velocities(const ModelData& model, Workspace& work, const double* z, double* du) {
  kernels().unwhiten(model.links.data(), static_cast<int>(model.links.size()), work.tree(), path_, z, dV_.data(), du);
}

}  // namespace lipkin
