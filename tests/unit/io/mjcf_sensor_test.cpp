// Sensors of MJCF against what MuJoCo reads from them, and against closed forms where MuJoCo's contacts are soft.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "lipkin/export.hpp"
#include "lipkin/simulation.hpp"
#include "temporary_scene.hpp"

namespace lipkin::test {
namespace {

const std::string kFolder = std::string(LIPKIN_SOURCE_DIR) + "/tests/data/mjcf/";

nlohmann::json reference(const std::string& name = "sensors") {
  return nlohmann::json::parse(std::ifstream(kFolder + name + ".ref.json")).at("sensors");
}

// The outputs that a sensor of so many numbers became.
std::vector<std::string> outputs_of(const std::string& sensor, std::size_t count) {
  if (count == 1) return {sensor};
  std::vector<std::string> names;
  for (const char* ending : {"_w", "_x", "_y", "_z"})
    if (count == 4 || ending[1] != 'w') names.push_back(sensor + ending);
  return names;
}

// A quaternion and its negative are the same rotation; ours have w >= 0.
double sign_of(const std::string& sensor, const std::vector<double>& values) {
  return sensor.find("quat") != std::string::npos && values[0] < 0 ? -1 : 1;
}

void expect_readings(const Simulation& simulation) {
  const nlohmann::json expected_readings = reference();
  for (const auto& [sensor, values] : expected_readings.items()) {
    const auto expected = values.get<std::vector<double>>();
    const std::vector<std::string> names = outputs_of(sensor, expected.size());
    double size = 1;
    for (const double x : expected) size = std::max(size, std::abs(x));
    for (std::size_t k = 0; k < names.size(); ++k)
      // MuJoCo keeps the full inertia of a body to 1e-6 of its moments only (its own diagonalisation).
      EXPECT_NEAR(simulation.output(names[k]), sign_of(sensor, expected) * expected[k], 1e-6 * size) << names[k];
  }
}

TEST(MjcfSensor, EveryKindReadsAsInMuJoCo) { expect_readings(Simulation(load_scene(kFolder + "sensors.xml"))); }

TEST(MjcfSensor, AlsoWhereEveryJointIsCut) {
  Scene scene = load_scene(kFolder + "sensors.xml");
  scene.experiment.coordinates = CoordinateKind::kMaximal;
  const Simulation simulation(std::move(scene));
  for (const std::string sensor : {"s_subtreeangmom", "s_framelinvel_rel", "s_gyro", "s_framequat_rel"}) {
    const auto expected = reference().at(sensor).get<std::vector<double>>();
    const std::vector<std::string> names = outputs_of(sensor, expected.size());
    for (std::size_t k = 0; k < names.size(); ++k)
      EXPECT_NEAR(simulation.output(names[k]), sign_of(sensor, expected) * expected[k], 1e-6) << names[k];
  }
}

TEST(MjcfSensor, ASceneFromItReadsTheSame) {
  const TemporaryScenes folder;
  const Scene scene = load_scene(kFolder + "sensors.xml");
  const Scene again = load_scene(folder.write("again.yaml", write_scene(scene).text));
  expect_readings(Simulation(again));
  for (int i = 0; i < scene.model.output_count(); ++i)
    EXPECT_EQ(scene.model.is_output_on_request(i), again.model.is_output_on_request(i));
}

TEST(MjcfSensor, RaysReachTheNextBody) {
  const Simulation simulation(load_scene(kFolder + "rays.xml"));
  const nlohmann::json expected = reference("rays");
  for (const auto& [sensor, values] : expected.items())
    // MuJoCo keeps the corners of meshes, which "up" meets, in single precision.
    EXPECT_NEAR(simulation.output(sensor), values[0].get<double>(), sensor == "up" ? 1e-7 : 1e-12) << sensor;
}

class MjcfSensorModel : public ::testing::Test {
 protected:
  Simulation simulation_of(const std::string& inside) {
    return Simulation(load_scene(
        folder_.write("m.xml", "<mujoco><option gravity='0 0 -10' timestep='0.001'/>" + inside + "</mujoco>")));
  }
  TemporaryScenes folder_;
};

// A box of 2 kg at rest: each corner carries a quarter of its weight.
TEST_F(MjcfSensorModel, TouchCountsContactsInTheSite) {
  Simulation s = simulation_of(
      "<worldbody><geom type='plane' size='5 5 1'/><body pos='0 0 0.1'><freejoint/>"
      "<geom type='box' size='0.2 0.1 0.1' mass='2'/>"
      "<site name='all' type='box' size='0.25 0.15 0.02' pos='0 0 -0.1'/>"
      "<site name='side' type='capsule' size='0.02 0.1' pos='0.2 0 -0.1' zaxis='0 1 0'/>"
      "<site name='corner' size='0.03' pos='0.2 0.1 -0.1'/>"
      "<site name='beside' type='cylinder' size='0.05 0.05' pos='0 0 -0.1'/>"
      "<site name='below' type='ellipsoid' size='0.03 0.03 0.01' pos='-0.2 0.1 -0.3'/>"
      "<site name='above' size='0.03' pos='-0.2 0.1 0.3'/></body></worldbody>"
      "<sensor><touch name='all' site='all'/><touch name='side' site='side'/><touch name='corner' site='corner'/>"
      "<touch name='beside' site='beside'/><touch name='below' site='below'/><touch name='above' site='above'/>"
      "<touch name='cut' site='all' cutoff='7'/></sensor>");
  s.run(0.1);
  EXPECT_NEAR(s.output("all"), 20, 1e-6);
  EXPECT_NEAR(s.output("side"), 10, 1e-6);
  EXPECT_NEAR(s.output("corner"), 5, 1e-6);
  EXPECT_EQ(s.output("beside"), 0);
  EXPECT_NEAR(s.output("below"), 5, 1e-6);  // the normal leads there
  EXPECT_EQ(s.output("above"), 0);
  EXPECT_EQ(s.output("cut"), 7);
}

TEST_F(MjcfSensorModel, AFrameIsInsideASite) {
  Simulation s = simulation_of(
      "<worldbody><site name='box' type='box' size='0.1 0.2 0.3' pos='0 0 1' euler='0 0 90'/>"
      "<site name='round' type='capsule' size='0.1 0.2' pos='0 0 1'/>"
      "<site name='rod' type='cylinder' size='0.1 0.2' pos='0 0 1'/>"
      "<site name='egg' type='ellipsoid' size='0.2 0.01 0.01' pos='0 0 1'/>"
      "<site name='a' pos='0.15 0 1'/><site name='b' pos='0 0 1.25'/></worldbody><sensor>"
      "<insidesite name='a_box' site='box' objtype='site' objname='a'/>"
      "<insidesite name='a_round' site='round' objtype='site' objname='a'/>"
      "<insidesite name='a_egg' site='egg' objtype='site' objname='a'/>"
      "<insidesite name='b_box' site='box' objtype='site' objname='b'/>"
      "<insidesite name='b_round' site='round' objtype='site' objname='b'/>"
      "<insidesite name='b_rod' site='rod' objtype='site' objname='b'/></sensor>");
  const std::pair<const char*, double> expected[] = {{"a_box", 1}, {"a_round", 0}, {"a_egg", 1},
                                                     {"b_box", 1}, {"b_round", 1}, {"b_rod", 0}};
  for (const auto& [name, value] : expected) EXPECT_EQ(s.output(name), value) << name;
}

// A rod of 2 kg whose centre is 0.3 m off its hinge, pressed on its limit by gravity.
TEST_F(MjcfSensorModel, LimitsPushWithTheMomentOfTheWeight) {
  Simulation s = simulation_of(
      "<worldbody><body><joint name='j' axis='0 1 0' range='-90 0'/>"
      "<geom type='box' size='0.3 0.02 0.02' pos='0.3 0 0' mass='2'/></body></worldbody>"
      "<sensor><jointlimitfrc name='force' joint='j'/><jointlimitpos name='depth' joint='j'/>"
      "<jointlimitvel name='rate' joint='j'/></sensor>");
  s.run(0.05);
  EXPECT_NEAR(s.output("force"), 2 * 10 * 0.3, 1e-9);
  EXPECT_NEAR(s.output("depth"), 0, 1e-9);
  EXPECT_NEAR(s.output("rate"), 0, 1e-9);
}

// A cart with a weld on it that rests on the ground: what the ground carries does not go through the weld.
TEST_F(MjcfSensorModel, AWeldCarriesWhatTheGroundDoesNot) {
  Simulation s = simulation_of(
      "<worldbody><geom type='plane' size='5 5 1'/><body name='top' pos='0 0 0.3'><freejoint/>"
      "<geom type='box' size='0.1 0.1 0.1' mass='3' contype='0' conaffinity='0'/>"
      "<body name='foot' pos='0 0 -0.2'><geom type='box' size='0.1 0.1 0.1' mass='1'/><site name='s' pos='0 0 0.1'/>"
      "</body></body></worldbody>"
      "<sensor><force name='f' site='s'/><torque name='n' site='s'/></sensor>");
  s.run(0.1);
  EXPECT_NEAR(s.output("f_z"), -30, 1e-6);  // the foot is pushed down by the weight of what it carries
  for (const char* name : {"f_x", "f_y", "n_x", "n_y", "n_z"}) EXPECT_NEAR(s.output(name), 0, 1e-6) << name;
}

// Cassie's names have dashes, and its loops hold it: reactions are found when somebody looks, also for the first time.
TEST_F(MjcfSensorModel, ReactionsAreWorkedOutFromTheFirstLookOn) {
  const std::string model =
      "<worldbody><body name='left-bar'><joint name='a' axis='0 1 0'/><geom type='capsule' size='0.02 0.2' mass='1'/>"
      "<site name='left-imu' pos='0 0 0.2'/></body></worldbody>"
      "<equality><connect name='pin' body1='left-bar' anchor='0 0 -0.2'/></equality>"
      "<sensor><force name='left-force' site='left-imu'/><jointpos name='left-angle' joint='a'/></sensor>";
  Simulation early = simulation_of(model), late = simulation_of(model);
  early.outputs();
  for (int i = 0; i < 10; ++i) early.step(), late.step();
  EXPECT_TRUE(std::isnan(late.outputs_at_hand()[2]));
  EXPECT_NEAR(late.output("left_force_z"), early.output("left_force_z"), 1e-12);
  EXPECT_NEAR(late.output("left_angle"), 0, 1e-9);
  early.step(), late.step();
  EXPECT_NEAR(early.output("left_force_z"), late.output("left_force_z"), 1e-12);
  EXPECT_TRUE(std::isfinite(late.output("left_force_z")));
  EXPECT_EQ(early.hash(), late.hash());
}

TEST_F(MjcfSensorModel, MistakesNameWhatIsMissing) {
  folder_.write("m.xml",
                "<mujoco><worldbody><body name='b'><joint name='j'/><geom size='0.1'/></body></worldbody>"
                "<sensor><gyro site='nowhere'/><framepos objtype='thing' objname='b'/></sensor></mujoco>");
  std::string all;
  for (const std::string& line : folder_.mistakes("m.xml")) all += line + "\n";
  EXPECT_NE(all.find("nowhere"), std::string::npos) << all;
  EXPECT_NE(all.find("'thing': expected body, xbody, geom, site or camera"), std::string::npos) << all;
}

}  // namespace
}  // namespace lipkin::test
