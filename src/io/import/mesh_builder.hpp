// Collects triangles; vertices at the same place become one.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "lipkin/model_builder.hpp"

namespace lipkin {

class MeshBuilder {
 public:
  explicit MeshBuilder(std::string shown_name) : shown_name_(std::move(shown_name)) {}

  // Throws InputError for a vertex that is not finite and for more than kMaxMeshTriangles.
  void add_triangle(const std::array<Eigen::Vector3d, 3>& corners);

  // Throws InputError where there is no triangle.
  ShapeMesh take();

 private:
  struct Hash {
    std::size_t operator()(const std::array<double, 3>& key) const;
  };
  int index_of(const Eigen::Vector3d& vertex);

  std::string shown_name_;
  ShapeMesh mesh_;
  std::size_t triangle_count_ = 0;
  std::unordered_map<std::array<double, 3>, int, Hash> index_;  // looked up only: its order decides nothing
};

}  // namespace lipkin
