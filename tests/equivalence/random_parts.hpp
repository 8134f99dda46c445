// What random mechanisms are made of.
#pragma once

#include "equivalence/mechanism.hpp"
#include "support/random.hpp"

namespace lipkin::test {

// A coordinate that something may drive.
struct FreeDof {
  std::string joint;
  int dof = 0;
  bool turns = true;
  double q = 0, u = 0;     // at the start
  bool is_driven = false;  // its motion is prescribed, or follows another coordinate
};

BodySpec random_body(Random& random, const std::string& name);
void give_start(Random& random, JointSpec& joint);
// Springs, dampers, rotors, friction and limits.
void equip(Random& random, JointSpec& joint);

// A tree of bodies with joints of all types.
void add_tree(Random& random, Mechanism& mechanism);
// Three to five bars in a plane, or a crank and a slider; all axes are parallel.
void add_planar_linkage(Random& random, Mechanism& mechanism);
// A crank and a rocker in space, with a rod between a ball and a universal joint: nothing in it is said twice.
void add_spatial_linkage(Random& random, Mechanism& mechanism);
// Closes a loop of the tree by a joint, where it leaves a freedom.
void add_loop(Random& random, Mechanism& mechanism);

std::vector<FreeDof> scalar_dofs(const Mechanism& mechanism);
void add_gear(Random& random, Mechanism& mechanism, std::vector<FreeDof>& dofs);
void add_motor(Random& random, Mechanism& mechanism, FreeDof& dof);

void add_forces(Random& random, Mechanism& mechanism);
void add_rope(Random& random, Mechanism& mechanism);
void add_contacts(Random& random, Mechanism& mechanism);
void add_commands(Random& random, Mechanism& mechanism);

// A body's name, or that of the world.
std::string any_body(Random& random, const Mechanism& mechanism, bool or_world = true);
Attachment any_place(Random& random, const std::string& body);

}  // namespace lipkin::test
