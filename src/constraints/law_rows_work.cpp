// Work of the rows that are not bilateral.
#include "constraints/law_rows.hpp"

namespace lipkin {

namespace {

Vec3<double> velocity_of(const Motion<double>* V, const KinematicsWork& k, int link, const Vec3<double>& p) {
  return V[link].v + cross(V[link].w, p - k.X_WL[link].p);
}

}  // namespace

void LawRows::add_work(const ModelData& model, const Problem& problem, double h, const SolveVelocities& velocities,
                       const KinematicsWork& kinematics, StepWork& done) const {
  for (std::size_t i = 0; i < block_item_.size(); ++i) {
    if (block_item_[i] < 0) continue;
    const Item& item = items_[block_item_[i]];
    const double impulse = problem.lambda[problem.blocks[i].row_begin];
    if (item.dof_row >= 0) {
      add_item_work(model, item, impulse, h, velocities, done);
    } else {
      const SpatialRows rows = spatial_limit(model, item, kinematics).rows;
      double rate;
      rows.rates(velocities.V_mean[rows.link_a], velocities.V_mean[rows.link_b], &rate);
      done.impacts += impulse * rate;
    }
  }
  for (const ContactRow& contact : contact_rows_) {
    const Block& block = problem.blocks[contact.block];
    add_contact_work(model, contact, problem.lambda.data() + block.row_begin, block.row_count, velocities, kinematics,
                     done);
  }
}

void LawRows::add_item_work(const ModelData& model, const Item& item, double impulse, double h,
                            const SolveVelocities& velocities, StepWork& done) const {
  const DofRow& row = dof_rows_[item.dof_row];
  const double mean = row.rate(velocities.mean, velocities.V_mean);
  switch (item.kind) {
    case Kind::kFriction:
      done.joint_friction += impulse * mean;
      break;
    case Kind::kMotor:
      done.motors += impulse * mean;
      break;
    case Kind::kSpring: {  // its spring and its rotor store energy; the damper acts with the rate after the solve
      const double after = 2 * mean - row.rate(velocities.before, velocities.V_before);
      done.dampers -= h * model.row_springs[item.index].damping * after * mean;
      break;
    }
    case Kind::kLimitUpper:
      done.impacts -= impulse * mean;
      break;
    default:
      done.impacts += impulse * mean;
  }
}

void LawRows::add_contact_work(const ModelData& model, const ContactRow& contact, const double* impulse, int row_count,
                               const SolveVelocities& velocities, const KinematicsWork& kinematics,
                               StepWork& done) const {
  const ContactPoint& p = points_[contact.point];
  const Motion<double>* V = velocities.V_mean;
  const int a = model.contact_shapes[p.shape_a].link, b = model.contact_shapes[p.shape_b].link;
  const Vec3<double> slip = velocity_of(V, kinematics, b, p.p_B) - velocity_of(V, kinematics, a, p.p_A);
  const Vec3<double> turn = V[b].w - V[a].w;
  const ContactFrame frame(p.normal);
  done.impacts += impulse[0] * dot(p.normal, slip);
  if (row_count >= 3) done.contact_friction += impulse[1] * dot(frame.t1, slip) + impulse[2] * dot(frame.t2, slip);
  if (row_count >= 4) done.contact_friction += impulse[3] * dot(p.normal, turn);
  if (row_count >= 6) done.contact_friction += impulse[4] * dot(frame.t1, turn) + impulse[5] * dot(frame.t2, turn);
}

}  // namespace lipkin
