// A step takes nothing from the heap. This program replaces malloc and its relatives, which operator new calls too, and
// counts while a step runs.
#include <gtest/gtest.h>

#include <cerrno>
#include <cstdlib>
#include <new>

#include "allocation_counter.hpp"
#include "lipkin/batch.hpp"
#include "lipkin/simulation.hpp"
#include "support/built_steppers.hpp"
#include "support/busy_scene.hpp"
#include "support/figure.hpp"

extern "C" {
// What glibc's own functions are made of.
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
}

namespace {

void count() {
  using lipkin::test::allocations;
  using lipkin::test::watching;
  if (watching.load(std::memory_order_relaxed)) allocations.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

extern "C" {
void* malloc(std::size_t size) {
  count();
  return __libc_malloc(size);
}
void* calloc(std::size_t n, std::size_t size) {
  count();
  return __libc_calloc(n, size);
}
void* realloc(void* memory, std::size_t size) {
  count();
  return __libc_realloc(memory, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  count();
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** memory, std::size_t alignment, std::size_t size) {
  count();
  *memory = __libc_memalign(alignment, size);
  return *memory ? 0 : ENOMEM;
}
}

namespace lipkin {
namespace {

using test::allocations;
using test::allocations_in;
using test::watching;

TEST(AllocationCounter, Counts) {
  EXPECT_GE(allocations_in([] { std::free(std::malloc(100)); }), 1);
  EXPECT_GE(allocations_in([] { delete new volatile int(3); }), 1);
  EXPECT_GE(allocations_in([] { std::vector<double> v(1000); }), 1);
  struct alignas(128) Wide {
    double x[16];
  };
  EXPECT_GE(allocations_in([] { std::vector<Wide> v(3); }), 1);
  EXPECT_EQ(allocations_in([] {}), 0);
}

class StepAllocation : public testing::TestWithParam<StepperKind> {};

// Through pushes that come and go, settings changed by commands, springs, bushings, expressions and tables.
TEST_P(StepAllocation, NoneInAnyStep) {
  Simulation simulation(test::busy_scene(GetParam()));
  int steps = 0;
  long total = 0;
  while (simulation.state().t < 0.5) {
    const double t = simulation.state().t;
    const long now = allocations_in([&] { simulation.step(0.5); });
    EXPECT_EQ(now, 0) << "in the step from t = " << t;
    total += now;
    ++steps;
  }
  EXPECT_EQ(simulation.state().commands_done, 6u);
  test::figure("{}: {} allocations in {} steps", name_of(GetParam()), total, steps);
}

TEST_P(StepAllocation, NoneInALongRunBetweenSamples) {
  Scene scene = test::busy_scene(GetParam(), {.forces = true, .commands = false});
  Simulation simulation(std::move(scene));
  long total = 0;
  watching = false;
  allocations = 0;
  simulation.run(0.2, 0.2, {}, [&](const Simulation&) {
    total += allocations.exchange(0);
    watching = true;
    return true;
  });
  watching = false;
  EXPECT_EQ(total, 0);
}

TEST_P(StepAllocation, NoneOnEveryJointTypeAlone) {
  test::Random random(5);
  for (const JointType type : test::TreeOptions{}.types) {
    test::TreeOptions options;
    options.types = {type};
    Simulation simulation(
        test::scene_of(test::build(test::random_tree(random, 2 * u_count(type), options)), GetParam()));
    EXPECT_EQ(allocations_in([&] {
                for (int n = 0; n < 20; ++n) simulation.step(0.02);
              }),
              0)
        << name_of(type);
  }
}

// Without adams and bdf: CVODE takes memory of its own when it starts and for every Jacobian by differences.
INSTANTIATE_TEST_SUITE_P(Steppers, StepAllocation,
                         testing::Values(StepperKind::kEuler, StepperKind::kRk4, StepperKind::kDopri5),
                         [](const testing::TestParamInfo<StepperKind>& kind) {
                           return std::string(name_of(kind.param));
                         });

TEST(BatchAllocation, NoneAfterTheFirstStep) {
  for (const bool forces : {false, true}) {
    for (const int threads : {1, 3}) {
      Batch batch(test::busy_model(forces), 20, threads);
      batch.step();
      EXPECT_EQ(allocations_in([&] { batch.step(10); }), 0) << forces << " " << threads;
      EXPECT_EQ(allocations_in([&] { batch.forward_dynamics(); }), 0) << forces << " " << threads;
    }
  }
}

}  // namespace
}  // namespace lipkin
