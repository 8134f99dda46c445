// A step comes out the same whoever works on it.
#include <gtest/gtest.h>

#include <fstream>

#include "base/temporary_folder.hpp"
#include "lipkin/simulation.hpp"
#include "support/figure.hpp"

namespace lipkin {
namespace {

using test::figure;

constexpr int kThreads[] = {2, 4, 8};

std::uint64_t hash_after(const Scene& scene, int threads, int steps) {
  Simulation simulation(scene);
  simulation.use_threads(threads);
  for (int i = 0; i < steps; ++i) simulation.step();
  return simulation.hash();
}

void expect_same(const std::string& name, const Scene& scene, int steps) {
  const std::uint64_t alone = hash_after(scene, 1, steps);
  for (const int threads : kThreads) EXPECT_EQ(hash_after(scene, threads, steps), alone) << name << ", " << threads;
  figure("{}: hash {} after {} steps on 1, 2, 4 and 8 threads", name, hash_text(alone), steps);
}

TEST(Threads, EverySceneRunsTheSame) {
  const std::vector<SceneInfo> scenes = list_scenes();
  EXPECT_GT(scenes.size(), 30u);
  for (const SceneInfo& scene : scenes) expect_same(scene.name, load_scene(scene.name), 40);
}

// Enough spheres in contact for eight threads to share pairs, rows and blocks.
TEST(Threads, APileOfSpheresRunsTheSame) {
  Scene scene = load_scene("cup", {{"n", "2000"}});
  Simulation simulation(scene);
  simulation.run(0.6);
  EXPECT_GT(simulation.state().contacts.size(), 1600u);
  expect_same("cup of 2000", scene, 650);
}

// Stacks apart from each other: islands that threads solve beside each other, pairs of boxes that they test.
TEST(Threads, ManyStacksRunTheSame) {
  TemporaryFolder folder;
  const std::string file = (folder.path() / "stacks.yaml").string();
  std::ofstream(file) << R"(
lipkin: 1
name: stacks
materials: {wood: {friction: 0.5}}
world:
  shapes: [{plane: {}, contact: wood}]
bodies:
  - name: box{i}
    repeat: {count: 240, from: 0}
    joint:
      type: free
      q: [0.4*(i % 15), 0.4*(floor(i/15) % 8), 0.051 + 0.12*floor(i/120) + 0.001*(i % 7), 1, 0.002*(i % 5), 0, 0]
    shapes: [{box: {size: [0.1, 0.1, 0.1]}, density: 500, contact: wood}]
experiment: {stepper: euler, dt: 0.002, duration: 1}
)";
  const Scene scene = load_scene(file);
  Simulation simulation(scene);
  simulation.use_threads(8);
  for (int i = 0; i < 150; ++i) simulation.step();
  EXPECT_GT(simulation.state().contacts.size(), 800u);
  expect_same("120 stacks of two boxes", scene, 150);
}

}  // namespace
}  // namespace lipkin
