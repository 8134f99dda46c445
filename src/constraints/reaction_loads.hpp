// The impulses of the last step as forces on links and joints.
#pragma once

#include "constraints/dof_row.hpp"

namespace lipkin {

// Adds rows' forces to both links; returns the moment about b's origin and the force that b feels, world axes.
Force<double> load_rows(const SpatialRows& rows, const double* forces, Workspace& work);

// Adds a force on one coordinate of a joint or a tendon. work.kinematics are those of the state.
void load_coordinate(const ModelData& model, const DofRef& dof, double force, Workspace& work);

// Adds the torque of a ball joint's limit, which turns it back, to what the joint exerts.
void load_ball_limit(const ModelData& model, const BallLimitData& limit, double torque, Workspace& work);

// A closure's joint_force takes a force that acts on its link b.
void add_closure_force(const ModelData& model, int closure, const Force<double>& on_b, Workspace& work);

// What such a force is of what joints that are rows exert, those that a tendon runs over among them.
void add_coordinate_force(const ModelData& model, const DofRef& dof, double force, Workspace& work);

// What actuators do to joints that are rows is part of what these joints exert, as in the tree; the loads themselves
// are among the forces already.
void add_actuator_forces(const ModelData& model, Workspace& work);

}  // namespace lipkin
