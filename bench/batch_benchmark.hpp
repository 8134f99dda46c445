// Many states at once: SIMD lanes and threads, beside MuJoCo's single-thread rate in the same run.
#pragma once

#include "options.hpp"

namespace lipkin::bench {

// Prints the report; the exit code.
int run_batch_benchmark(const Options& options);

}  // namespace lipkin::bench
