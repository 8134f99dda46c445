// All single-valued forces of a model at one state: joint forces (tau) and forces on links.
#pragma once

#include "lipkin/state.hpp"
#include "state/workspace.hpp"

namespace lipkin {

// Fills work.tau, work.actuator_control, and where links are loaded work.external (work.has_external says so).
// ahead: see add_joint_forces. World kinematics are updated only where a force needs them.
void evaluate_forces(const ModelData& model, const State& state, double ahead, Workspace& work);

// The same where work.kinematics are those of the state already.
void evaluate_forces_there(const ModelData& model, const State& state, double ahead, Workspace& work);

// The articulated-body pass lets gravity act on all inertia; added inertia does not weigh: takes its share back in
// work.external. Needs world kinematics.
void unload_added_inertia(const ModelData& model, Workspace& work);

// Add the loads of spring-dampers and bushings, of forces on bodies, pushes and drags to work.external. Need world
// kinematics.
void load_elements(const ModelData& model, Workspace& work);
void load_applied_forces(const ModelData& model, const State& state, Workspace& work);

// Adds a force [N] and torque [N m] along world axes at the world point p to work.external. Needs world kinematics.
void load_link(Workspace& work, int link, const Vec3<double>& p, const Vec3<double>& force, const Vec3<double>& torque);

// Adds a force on a coordinate that the tree does not have. Needs world kinematics.
void load_dependent_coordinate(const ModelData& model, const DofRef& dof, double force, Workspace& work);
void load_tendon(const ModelData& model, int tendon, double force, Workspace& work);

// Whether any force of the model or the state needs world kinematics.
bool forces_need_kinematics(const ModelData& model, const State& state);

}  // namespace lipkin
