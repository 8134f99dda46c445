#include "io/mjcf/mjcf_start.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace lipkin {
namespace {

void start_at_reference(MjcfModel& model) {
  for (MjcfJoint& joint : model.joints) {
    if (joint.is_scalar()) joint.q = {std::clamp(joint.reference, joint.lower, joint.upper)};
    if (joint.type != JointType::kFree) continue;
    const Pose& pose = at(model.bodies, joint.body).pose;
    const Eigen::Vector3d& p = pose.position;
    const Eigen::Quaterniond& r = pose.orientation;
    joint.q = {p.x(), p.y(), p.z(), r.w(), r.x(), r.y(), r.z()};
  }
}

// The numbers of an attribute if it has as many as the model needs; a mistake if not.
std::vector<double> state(const ElementReader& key, const char* attribute, int count) {
  const std::vector<double> values = key.numbers(attribute, {0, ElementReader::kAnyNumber});
  if (values.empty() || values.size() == static_cast<std::size_t>(count)) return values;
  key.error_at(attribute, fmt::format("{} has {} numbers, the model has {}", attribute, values.size(), count));
  return {};
}

// The last four numbers; zeros, as keys have them that were written by hand, are no rotation.
void set_unit_quaternion(std::vector<double>& q) {
  if (std::all_of(q.end() - 4, q.end(), [](double x) { return x == 0; })) *(q.end() - 4) = 1;
}

void start_at(const std::vector<double>& qpos, const std::vector<double>& qvel, MjcfModel& model) {
  const auto slice = [](const std::vector<double>& values, int first, int count) {
    return std::vector<double>(values.begin() + first, values.begin() + first + count);
  };
  for (MjcfJoint& joint : model.joints) {
    if (!qpos.empty()) joint.q = slice(qpos, joint.q_index, q_count(joint.type));
    if (!qpos.empty() && !joint.is_scalar()) set_unit_quaternion(joint.q);
    if (!qvel.empty()) joint.u = slice(qvel, joint.u_index, u_count(joint.type));
  }
}

}  // namespace

MjcfStart read_mjcf_start(const ElementReader& root, MjcfModel& model) {
  start_at_reference(model);
  bool is_first = true;
  MjcfStart start;
  for (const ElementReader& keyframe : root.children("keyframe")) {
    for (const ElementReader& key : keyframe.children("key")) {
      key.text("name");
      const std::vector<double> qpos = state(key, "qpos", model.q_count), qvel = state(key, "qvel", model.u_count);
      key.note("time", Treatment::kIgnored, "every run starts at zero");
      if (!is_first) {
        key.note(Treatment::kIgnored, "the first key is where the model starts");
        continue;
      }
      is_first = false;
      start_at(qpos, qvel, model);
      start.controls = key.numbers("ctrl", {0, ElementReader::kAnyNumber});
      start.activations = key.numbers("act", {0, ElementReader::kAnyNumber});
      for (const char* attribute : {"mpos", "mquat"})
        key.note(attribute, Treatment::kIgnored, "mocap bodies are not supported");
    }
  }
  return start;
}

}  // namespace lipkin
