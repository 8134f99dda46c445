// The contacts of a pile of spheres as one constraint problem, written down by hand: the solvers alone are compared on
// it, without collision, assembly or stepping.
#pragma once

#include <span>
#include <vector>

#include "cup_task.hpp"
#include "solvers/problem.hpp"

namespace lipkin::bench {

struct SphereMotion {
  Triple position;          // [m]
  Triple velocity;          // [m/s]
  Triple angular_velocity;  // [rad/s]
};

// One step of the pile under gravity, impulses zero. With friction a contact has three rows and spheres turn; without,
// one row and they only move.
Problem pile_problem(const Cup& cup, std::span<const SphereMotion> spheres, bool friction);

// Velocity of a sphere after impulses with z = Yᵀ Lambda [m/s].
Triple velocity_after(const Cup& cup, const SphereMotion& sphere, std::size_t index, bool friction,
                      std::span<const double> z);

}  // namespace lipkin::bench
