// How much the accelerations of bodies change in a step to which drives give their motion.
//
// Such bodies stand where the drives want them at the end of every step, however long it is and however it is divided:
// no estimate of the error of coordinates sees that forces are means over too long a step, also where the drive itself
// is even. What bounds steps is the rule of prescribed motions (steppers/prescribed_step.hpp), for the velocity of a
// body's centre of mass and for its angular velocity, after each third of the step. Bodies that hang together with
// drives but do not follow from them differ by how the step was divided; the error of their coordinates is known.
#pragma once

#include "constraints/z_layout.hpp"
#include "lipkin/state.hpp"
#include "state/workspace.hpp"

namespace lipkin {

class DrivenBend {
 public:
  DrivenBend(const ModelData& model, const ZLayout& layout);

  bool empty() const { return bodies_.empty(); }

  // The state at the begin of the step or after one of its thirds, 0 to 3, or at the end of it undivided.
  static constexpr int kUndivided = 4;
  void look(const ModelData& model, const State& state, int place);

  // Over what is tolerated in a step of h; at most 1: forces are as good as promised.
  double excess(const ModelData& model, double h) const;

 private:
  double excess(double h, const Vec3<double>* v, double least) const;

  struct Body {
    int index;
    Vec3<double> v[5], w[5];  // centre of mass, angular velocity; by place
  };
  std::vector<Body> bodies_;
  KinematicsWork kinematics_;
  double size_;
};

}  // namespace lipkin
