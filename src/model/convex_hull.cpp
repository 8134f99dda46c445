#include "model/convex_hull.hpp"

#include "model/eigen_convert.hpp"
#include "model/hull_builder.hpp"

namespace lipkin {

std::vector<std::array<int, 3>> convex_hull(const std::vector<Eigen::Vector3d>& points) {
  std::vector<Vec3<double>> converted;
  for (const Eigen::Vector3d& p : points) converted.push_back(from_eigen(p));
  return HullBuilder(converted).triangles();
}

}  // namespace lipkin
