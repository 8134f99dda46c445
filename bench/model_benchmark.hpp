// Published robots: `bench models` beside MuJoCo, `bench model-runs` each of them for 5 s. They are other people's
// files: read where they lie (--models), never part of the project.
#pragma once

#include "options.hpp"

namespace lipkin::bench {

int run_model_benchmark(const Options& options);
int run_model_runs(const Options& options);

}  // namespace lipkin::bench
