// MuJoCo on published robots, as Lipkin writes them in MJCF: its default solver and softness.
#include <algorithm>
#include <cmath>

#include "../model_server.hpp"
#include "mujoco_support.hpp"

namespace lipkin::bench {
namespace {

using nlohmann::json;

class MujocoModels {
 public:
  // {"mjcf", "q": {joint: [...]}}: where it lies, at rest
  json model(const json& request) {
    model_ = compile_mjcf(request.at("mjcf"));
    data_.reset(mj_makeData(model_.get()));
    mj_resetDataKeyframe(model_.get(), data_.get(), 0);
    for (const auto& [joint, values] : request.at("q").items()) {
      const int id = mj_name2id(model_.get(), mjOBJ_JOINT, joint.c_str());
      if (id < 0) throw Refusal("no joint " + joint);
      const auto q = values.get<std::vector<double>>();
      std::copy(q.begin(), q.end(), data_->qpos + model_->jnt_qposadr[id]);
    }
    std::fill_n(data_->qvel, model_->nv, 0.0);
    mj_forward(model_.get(), data_.get());
    return {{"engine", mujoco_name()}};
  }

  json settle(double seconds) {
    for (const double end = data_->time + seconds; data_->time < end;) step();
    return json::object();
  }

  void step() { mj_step(model_.get(), data_.get()); }

  BodyPositions positions() const {
    mj_kinematics(model_.get(), data_.get());
    BodyPositions result(static_cast<std::size_t>(model_->nbody));
    for (std::size_t b = 0; b < result.size(); ++b) {
      const mjtNum* p = data_->xpos + 3 * b;
      result[b] = {p[0], p[1], p[2]};
      if (!std::isfinite(p[0])) throw std::runtime_error("the motion does not stay finite");
    }
    return result;
  }

  void report(json& reply) const {
    double deepest = 0;
    for (int i = 0; i < data_->ncon; ++i) deepest = std::max(deepest, -data_->contact[i].dist);
    reply["penetration_m"] = deepest;
    reply["contacts"] = data_->ncon;
    reply["iterations"] = data_->solver_iter;
    for (int i = 0; i < mjNWARNING; ++i)  // full buffers, or a state that was reset in silence
      if (data_->warning[i].number > 0) throw std::runtime_error(mju_warningText(i, data_->warning[i].lastinfo));
  }

  json run(double) { throw Refusal("for Lipkin alone"); }

 private:
  MujocoModel model_;
  MujocoData data_;
};

}  // namespace
}  // namespace lipkin::bench

int main() { return lipkin::bench::ModelServer<lipkin::bench::MujocoModels>().run(); }
