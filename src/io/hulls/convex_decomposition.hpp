// A mesh as a few convex hulls that together fill what it encloses and leave its hollows open. In the way of V-HACD
// (Mamou 2016: a solid as cells, cut in two by planes across the axes where the hulls of the pieces have the least
// volume, pieces merged again where nothing is lost) with the error as a depth, as in CoACD (Wei, Liu, Ling, Su 2022):
// how far from the mesh a hull reaches. Unlike there, the hulls are of the mesh itself, clipped to the boxes that the
// cuts make: what is made of blocks comes out exactly.
#pragma once

#include <string>
#include <vector>

#include "lipkin/import.hpp"
#include "lipkin/model_builder.hpp"

namespace lipkin {

struct Decomposition {
  std::vector<std::vector<Eigen::Vector3d>> hulls;  // corners of each; at least one
  double depth = 0;                                 // how far a hull reaches beyond the mesh, to about a cell [m]
  double tolerance = 0;                             // what was asked for [m]; depth may be larger
};

// The same for the same mesh, always. A convex mesh stays one hull. Throws InputError where the mesh is flat.
Decomposition decompose(const ShapeMesh& mesh, const DecompositionOptions& options, const std::string& shown_name);

}  // namespace lipkin
