// MuJoCo: mj_forward and mj_step with contacts and constraints switched off, its fastest setting for plain trees.
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

#include "../engine_server.hpp"
#include "mujoco_support.hpp"

namespace lipkin::bench {
namespace {

std::string text_of(const Triple& v) {
  char text[96];
  std::snprintf(text, sizeof text, "%.17g %.17g %.17g", v[0], v[1], v[2]);
  return text;
}

std::string text_of(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

// MJCF, MuJoCo's own model format: bodies nest as the tree does.
class MjcfWriter {
 public:
  MjcfWriter(const TreeModel& model, double damping) : model_(model), damping_(text_of(damping)) {
    text_ = "<mujoco><compiler angle='radian'/><size nstack='2000000'/><option timestep='" + text_of(kTimeStep) +
            "' gravity='" + text_of(Triple{0.0, 0.0, -kGravity}) +
            "' integrator='Euler'><flag contact='disable' constraint='disable' warmstart='disable'/></option>"
            "<worldbody>";
    add_children_of(-1);
    text_ += "</worldbody></mujoco>";
  }

  const std::string& text() const { return text_; }

 private:
  void add_children_of(int parent) {
    for (std::size_t i = static_cast<std::size_t>(parent + 1); i < model_.bodies.size(); ++i) {
      if (model_.bodies[i].parent == parent) add_body(static_cast<int>(i));
    }
  }

  void add_body(int index) {
    const TreeBody& body = model_.bodies[static_cast<std::size_t>(index)];
    text_ += "<body pos='" + text_of(body.position) + "'><inertial pos='" + text_of(body.com) + "' mass='" +
             text_of(body.mass) + "' diaginertia='" + text_of(body.inertia) + "'/>";
    if (body.joint == TreeJoint::kFree) {
      text_ += "<freejoint/>";
    } else {
      text_ += "<joint type='hinge' axis='" + text_of(axis_of(body.joint)) + "' damping='" + damping_ + "'/>";
    }
    add_children_of(index);
    text_ += "</body>";
  }

  const TreeModel& model_;
  std::string damping_;
  std::string text_;
};

class MujocoTree {
 public:
  explicit MujocoTree(const TreeTask& task)
      : task_(task),
        first_q_(task.model.floating() ? 7 : 0),
        first_u_(task.model.floating() ? 6 : 0),
        undamped_(compile(task.model, 0.0)),
        damped_(compile(task.model, kDamping)),
        data_(mj_makeData(undamped_.get())),
        step_data_(mj_makeData(damped_.get())) {}

  static std::string name() { return mujoco_name(); }

  void forward_dynamics(std::size_t state) {
    set(*data_, task_.states[state]);
    mj_forward(undamped_.get(), data_.get());
  }

  std::vector<double> joint_accelerations() const { return {data_->qacc + first_u_, data_->qacc + undamped_->nv}; }

  void restart(double dt) {
    damped_->opt.timestep = dt;
    mj_resetData(damped_.get(), step_data_.get());
    set(*step_data_, task_.start);
  }

  void step() { mj_step(damped_.get(), step_data_.get()); }

  std::vector<double> joint_angles() const { return {step_data_->qpos + first_q_, step_data_->qpos + damped_->nq}; }

  void describe(nlohmann::json&) const {}

 private:
  // Its XML reader allows 100 nested elements.
  static MujocoModel compile(const TreeModel& tree, double damping) {
    return compile_mjcf(MjcfWriter(tree, damping).text());
  }

  void set(mjData& data, const TreeState& state) const {
    if (task_.model.floating()) {
      std::ranges::copy(state.base_position, data.qpos);
      std::ranges::copy(state.base_orientation, data.qpos + 3);
      std::ranges::copy(state.base_velocity, data.qvel);
      std::ranges::copy(state.base_angular_velocity, data.qvel + 3);
    }
    std::ranges::copy(state.q, data.qpos + first_q_);
    std::ranges::copy(state.u, data.qvel + first_u_);
    std::ranges::copy(state.tau, data.qfrc_applied + first_u_);
  }

  const TreeTask& task_;
  int first_q_, first_u_;
  MujocoModel undamped_, damped_;
  MujocoData data_, step_data_;
};

}  // namespace
}  // namespace lipkin::bench

int main() {
  mju_user_warning = [](const char* text) { std::fprintf(stderr, "mujoco: %s\n", text); };  // else it writes a log file
  return lipkin::bench::EngineServer<lipkin::bench::MujocoTree>().run();
}
