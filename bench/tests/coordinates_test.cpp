// The same mechanism in the coordinates of its joints and with every joint cut: one motion.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "coordinates_benchmark.hpp"

namespace lipkin::bench {

std::ostream& operator<<(std::ostream& out, const CoordinateCase& c) { return out << c.scene; }

namespace {

class Coordinates : public testing::TestWithParam<CoordinateCase> {};

TEST_P(Coordinates, AgreeAtFirstOrder) {
  const CoordinateDifference found = coordinate_difference(GetParam());
  fmt::print("[figure] {}: generalized against maximal, dt = {:g} s, halved twice: {:.2e} {:.2e} {:.2e}\n",
             GetParam().scene, GetParam().dt, found.size[0], found.size[1], found.size[2]);
  EXPECT_TRUE(found.falls()) << "ratios " << found.ratio(0) << ", " << found.ratio(1);
}

INSTANTIATE_TEST_SUITE_P(Scenes, Coordinates, testing::ValuesIn(coordinate_cases()),
                         [](const testing::TestParamInfo<CoordinateCase>& chosen) {
                           std::string name = chosen.param.scene;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace lipkin::bench
