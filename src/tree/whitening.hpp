// Where whitened rows stand in memory (whitened_impulse.hpp): views into memory that the caller owns.
#pragma once

namespace lipkin {

// Where the velocities stand in z and in the rows, and C of each joint.
struct Whitening {
  const int* z_of_dof = nullptr;       // per velocity
  const int* column_of_dof = nullptr;  // per velocity: in a row over the path that ends at or beyond it
  double* root = nullptr;              // per velocity: C of revolute joints; free joints: D^(-1/2)
  double* multi_root = nullptr;        // per multi_index 9 numbers: C of the others, lower triangle, row-major
};

}  // namespace lipkin
