// Compiled once per instruction set with LIPKIN_ISA naming it. Everything called from here is forced inline, so that
// no shared function is emitted with this set's instructions (a test looks at the symbols).
#include "tree/kernels.hpp"

#include "spatial/pack.hpp"
#include "tree/articulated_body.hpp"
#include "tree/kinematics.hpp"
#include "tree/local_coordinates.hpp"
#include "tree/whitened_impulse.hpp"

#define LIPKIN_STRING_OF(x) #x
#define LIPKIN_STRING(x) LIPKIN_STRING_OF(x)
#define LIPKIN_JOIN_OF(a, b) a##b
#define LIPKIN_JOIN(a, b) LIPKIN_JOIN_OF(a, b)

namespace lipkin {

extern const TreeKernels LIPKIN_JOIN(kTreeKernels_, LIPKIN_ISA);

namespace {

#if defined(__AVX512F__)
constexpr int kLanes = 8;
#elif defined(__AVX2__)
constexpr int kLanes = 4;
#else
constexpr int kLanes = 2;
#endif
using Lanes = Pack<double, kLanes>;

void forward_dynamics(const Link* links, int link_count, const Vec3<double>& gravity, const double* q, const double* u,
                      const double* tau, const double* diag, const Force<double>* external,
                      const TreeWork<double>& work, double* du) {
  articulated_body<double>(links, link_count, gravity, q, u, tau, diag, external, work, du);
}

void kinematics(const Link* links, int link_count, const double* q, const double* u, Transform<double>* X_WL,
                Motion<double>* V_WL, Motion<double>* S_W) {
  world_kinematics<double>(links, link_count, q, u, X_WL, V_WL, S_W);
}

void velocities_at_poses(const Link* links, int link_count, const double* q, const double* u,
                         const Transform<double>* X_WL, Motion<double>* V_WL, Motion<double>* S_W) {
  world_velocities<double>(links, link_count, q, u, X_WL, V_WL, S_W);
}

void poses(const Link* links, int link_count, const double* q, Transform<double>* X_WL) {
  world_poses<double>(links, link_count, q, X_WL);
}

void factor(const Link* links, int link_count, const double* q, const double* diag, const TreeWork<double>& work,
            const Whitening& white) {
  articulated_factor<double>(links, link_count, q, diag, work);
  whitening_roots(links, link_count, work, white);
}

void acceleration(const Link* links, int link_count, const Vec3<double>& gravity, const double* q, const double* u,
                  const double* tau, const Force<double>* external, const TreeWork<double>& work, double* du) {
  articulated_acceleration<double>(links, link_count, gravity, q, u, tau, external, work, du);
}

template <int n>
void whiten_lanes(const Link* links, const TreeWork<double>& work, const Whitening& white, int link,
                  const Mat3<double>& R_WL, const double* f, int row_count, int stride, double* y) {
  using Rows = Pack<double, n>;
  Force<Rows> force;
  __builtin_memcpy(&force, f, sizeof force);
  whiten<Rows>(links, work, white, link, R_WL, force, nullptr, row_count, stride, y);
}

void whiten_joint(const Link* links, const TreeWork<double>& work, const Whitening& white, int link, int dof,
                  double impulse, double* y) {
  double tau[6] = {};
  tau[dof] = impulse;
  whiten<double>(links, work, white, link, Mat3<double>::identity(), Force<double>::zero(), tau, 1, 0, y);
}

void unwhiten_all(const Link* links, int link_count, const TreeWork<double>& work, const Whitening& white,
                  const double* z, Motion<double>* dV, double* du) {
  unwhiten(links, link_count, work, white, z, dV, du);
}

void velocities(const Link* links, int link_count, const Transform<double>* X_WL, const Motion<double>* S_W,
                const double* u, Motion<double>* V_WL) {
  link_velocities(links, link_count, X_WL, S_W, u, V_WL);
}

void advance(const Link* links, int link_count, const double* q0, double scale, const double* theta, double* q) {
  retract<double>(links, link_count, q0, scale, theta, q);
}

const Lanes* lanes(const double* values) { return reinterpret_cast<const Lanes*>(values); }
Lanes* lanes(double* values) { return reinterpret_cast<Lanes*>(values); }

void batch_forward_dynamics(const Link* links, int link_count, const Vec3<double>& gravity, const double* q,
                            const double* u, const double* tau, const double* diag, const double* external,
                            void* link_work, void* multi_work, double* du) {
  const TreeWork<Lanes> work = {static_cast<LinkWork<Lanes>*>(link_work), static_cast<MultiWork<Lanes>*>(multi_work)};
  articulated_body<Lanes>(links, link_count, gravity, lanes(q), lanes(u), lanes(tau), diag,
                          reinterpret_cast<const Force<Lanes>*>(external), work, lanes(du));
}

void batch_advance(const Link* links, int link_count, int u_count, double dt, const double* du, double* u, double* q) {
  const Lanes h(dt);
  for (int k = 0; k < u_count; ++k) lanes(u)[k] += h * lanes(du)[k];
  retract<Lanes>(links, link_count, lanes(q), h, lanes(u), lanes(q));
}

}  // namespace

const TreeKernels LIPKIN_JOIN(kTreeKernels_, LIPKIN_ISA) = {.instruction_set = LIPKIN_STRING(LIPKIN_ISA),
                                                            .forward_dynamics = forward_dynamics,
                                                            .kinematics = kinematics,
                                                            .velocities_at_poses = velocities_at_poses,
                                                            .poses = poses,
                                                            .factor = factor,
                                                            .acceleration = acceleration,
                                                            .whiten8 = whiten_lanes<8>,
                                                            .whiten4 = whiten_lanes<4>,
                                                            .whiten_joint = whiten_joint,
                                                            .unwhiten = unwhiten_all,
                                                            .link_velocities = velocities,
                                                            .retract = advance,
                                                            .lanes = kLanes,
                                                            .link_work_bytes = sizeof(LinkWork<Lanes>),
                                                            .multi_work_bytes = sizeof(MultiWork<Lanes>),
                                                            .batch_forward_dynamics = batch_forward_dynamics,
                                                            .batch_advance = batch_advance};

}  // namespace lipkin
