// From the words on the command line to a command, and from its outcome to an exit code.
#pragma once

namespace lipkin::cli {

// Exit codes: 0 success, 1 the simulation failed or was interrupted, 2 wrong usage or a refused input.
int run_program(int argc, char** argv);

}  // namespace lipkin::cli
