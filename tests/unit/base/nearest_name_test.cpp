#include "base/nearest_name.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace lipkin {
namespace {

const std::vector<std::string> kKeys = {"mass", "com", "inertia", "joint", "stiffness", "damping"};

TEST(NearestName, FindsWhatWasMeantByASlip) {
  EXPECT_EQ(nearest_name("mas", kKeys), "mass");         // a letter missing
  EXPECT_EQ(nearest_name("masss", kKeys), "mass");       // a letter too many
  EXPECT_EQ(nearest_name("nass", kKeys), "mass");        // a wrong letter
  EXPECT_EQ(nearest_name("ineritа", kKeys), "inertia");  // swapped, and a Cyrillic letter
  EXPECT_EQ(nearest_name("MASS", kKeys), "mass");        // upper case
  EXPECT_EQ(nearest_name("stiff", kKeys), "stiffness");  // unfinished
  EXPECT_EQ(did_you_mean("dampign", kKeys), "did you mean 'damping'?");
}

TEST(NearestName, StaysSilentWhenNothingIsClose) {
  EXPECT_EQ(nearest_name("colour", kKeys), "");
  EXPECT_EQ(nearest_name("x", kKeys), "");
  EXPECT_EQ(nearest_name("", kKeys), "");
  EXPECT_EQ(nearest_name(std::string(1000, 'm'), kKeys), "");
  EXPECT_EQ(nearest_name("mass", {}), "");
  EXPECT_EQ(did_you_mean("colour", kKeys), "");
}

}  // namespace
}  // namespace lipkin
