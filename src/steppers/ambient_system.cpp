#include "steppers/ambient_system.hpp"

#include <algorithm>
#include <cmath>

#include "tree/local_coordinates.hpp"

namespace lipkin {

namespace {

// Calls plain(q index, u index) for every coordinate that is a number, turn(q index, u index) for every quaternion.
template <class Plain, class Turn>
void for_each_coordinate(const ModelData& model, Plain&& plain, Turn&& turn) {
  for (std::size_t i = 1; i < model.links.size(); ++i) {
    const Link& link = model.links[i];
    const JointCoordinates c = coordinates_of(link.kind);
    for (int k = 0; k < c.scalars; ++k) plain(link.q_index + k, link.u_index + k);
    if (c.rotation) turn(link.q_index + c.scalars, link.u_index + c.scalars);
  }
}

// Half of q times the pure quaternion w: the rate of q where the child turns at w about its own axes.
Quaternion<double> turning_rate(const Quaternion<double>& q, const double* w) {
  return Quaternion<double>{0.5 * q.w, 0.5 * q.x, 0.5 * q.y, 0.5 * q.z} * Quaternion<double>{0, w[0], w[1], w[2]};
}

}  // namespace

void AmbientSystem::take(const ModelData& model, const State& state, Workspace& work, double* y) const {
  std::copy(model.armature.begin(), model.armature.end(), work.diag.begin());
  std::copy(state.q.begin(), state.q.end(), y);
  std::copy(state.u.begin(), state.u.end(), y + q_count_);
}

void AmbientSystem::place(const ModelData& model, double t, const double* y, State& state) const {
  state.t = t;
  std::copy(y, y + q_count_, state.q.begin());
  std::copy(y + q_count_, y + size(), state.u.begin());
  for_each_coordinate(
      model, [](int, int) {},
      [&](int q, int) { normalized(Quaternion<double>::from(y + q)).store(state.q.data() + q); });
}

void AmbientSystem::evaluate(const ModelData& model, double t, const double* y, State& state, Workspace& work,
                             double* rate) const {
  place(model, t, y, state);
  evaluate_accelerations(model, state, 0, work);
  const double* u = y + q_count_;
  for_each_coordinate(
      model, [&](int q, int j) { rate[q] = u[j]; },
      [&](int q, int j) { turning_rate(Quaternion<double>::from(y + q), u + j).store(rate + q); });
  std::copy(work.du.begin(), work.du.end(), rate + q_count_);
}

void AmbientSystem::sizes(const ModelData& model, const double* y, double* size) const {
  for_each_coordinate(
      model, [&](int q, int) { size[q] = std::abs(y[q]); },
      [&](int q, int) { std::fill(size + q, size + q + 4, 1.0); });
  for (int j = 0; j < u_count_; ++j) size[q_count_ + j] = std::abs(y[q_count_ + j]);
}

void AmbientSystem::to_local(const ModelData& model, const double* q, const double* dq, double* theta) const {
  for_each_coordinate(
      model, [&](int k, int j) { theta[j] = dq[k]; },
      [&](int k, int j) {
        const Quaternion<double> turn = conjugate(Quaternion<double>::from(q + k)) * Quaternion<double>::from(dq + k);
        theta[j] = 2 * turn.x, theta[j + 1] = 2 * turn.y, theta[j + 2] = 2 * turn.z;
      });
}

void AmbientSystem::add_local(const ModelData& model, const double* q, double scale, const double* theta,
                              double* dq) const {
  for_each_coordinate(
      model, [&](int k, int j) { dq[k] += scale * theta[j]; },
      [&](int k, int j) {
        const Quaternion<double> rate = turning_rate(Quaternion<double>::from(q + k), theta + j);
        dq[k] += scale * rate.w, dq[k + 1] += scale * rate.x, dq[k + 2] += scale * rate.y, dq[k + 3] += scale * rate.z;
      });
}

}  // namespace lipkin
