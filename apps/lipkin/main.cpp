#include "command_line.hpp"

int main(int argc, char** argv) { return lipkin::cli::run_program(argc, argv); }
