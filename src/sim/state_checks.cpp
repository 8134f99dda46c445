#include "sim/state_checks.hpp"

#include <algorithm>
#include <cmath>

#include "spatial/quaternion.hpp"

namespace lipkin {

bool normalize_quaternions(const ModelData& data, double* q) {
  for (const JointData& joint : data.joints) {
    if (joint.q_index < 0 || (joint.type != JointType::kBall && joint.type != JointType::kFree)) continue;
    double* at = q + joint.q_index + (joint.type == JointType::kFree ? 3 : 0);
    const double squared = at[0] * at[0] + at[1] * at[1] + at[2] * at[2] + at[3] * at[3];
    if (squared == 0) return false;
    constexpr double kRounding = 1e-14;  // a unit quaternion as the steppers leave it keeps its bits
    if (std::abs(squared - 1) > kRounding) normalized(Quaternion<double>::from(at)).store(at);
  }
  return true;
}

bool has_sizes_of(const ModelData& data, const State& state) {
  const auto count = [](int n) { return static_cast<std::size_t>(n); };
  return state.q.size() == count(data.q_count) && state.u.size() == count(data.u_count) &&
         state.applied.size() == count(data.u_count) && state.control.size() == data.controls.size() &&
         state.inputs.size() == data.inputs.size() && state.memory.size() == count(data.memory_count) &&
         state.closure_q.size() == count(data.closure_coordinate_count);
}

bool fits(const ModelData& data, const State& state) {
  const auto is_body = [&](int body) { return body >= 0 && static_cast<std::size_t>(body) < data.bodies.size(); };
  const auto is_shape = [&](int shape) {
    return shape >= 0 && static_cast<std::size_t>(shape) < data.contact_shapes.size();
  };
  const auto all = [](const auto& list, const auto& condition) {
    return std::all_of(list.begin(), list.end(), condition);
  };
  return has_sizes_of(data, state) && all(state.pushes, [&](const ActivePush& p) { return is_body(p.body); }) &&
         all(state.drags, [&](const ActiveDrag& d) { return is_body(d.body); }) &&
         all(state.contacts, [&](const ContactMemory& c) { return is_shape(c.shape_a) && is_shape(c.shape_b); });
}

}  // namespace lipkin
