// The tree of points against looking at all of them.
#include "collision/point_tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "support/random.hpp"

namespace lipkin {
namespace {

Vec3d vec(const Eigen::Vector3d& v) { return {{v[0], v[1], v[2]}}; }

TEST(PointTree, FindsWhatLiesBeyondAPlane) {
  test::Random random(5);
  for (const int count : {0, 1, 8, 9, 500}) {
    std::vector<Vec3d> points;
    for (int i = 0; i < count; ++i) points.push_back(vec(random.vector(1)));
    points.insert(points.end(), points.begin(), points.begin() + count / 3);  // some of them twice
    const PointTree tree(points);
    for (int trial = 0; trial < 50; ++trial) {
      const Vec3d d = vec(random.unit_vector());
      const double least = random.uniform(-1, 1);
      std::vector<std::size_t> found, expected;
      tree.visit_beyond(d, least, [&](std::size_t i, const Vec3d& p) {
        EXPECT_EQ(norm(p - points[i]), 0);
        found.push_back(i);
      });
      for (std::size_t i = 0; i < points.size(); ++i)
        if (dot(d, points[i]) >= least) expected.push_back(i);
      std::sort(found.begin(), found.end());
      EXPECT_EQ(found, expected) << count << " points, trial " << trial;
    }
  }
}

}  // namespace
}  // namespace lipkin
