// The third paper's remark that the proximal point method is some 50 times faster than a solver of complementarity
// problems, looked at on the contacts of settled piles.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace lipkin::bench {

struct SolverRow {
  int spheres = 0;
  bool friction = false;
  nlohmann::json reply;  // null where it failed
  std::string error;

  bool pass() const;     // the proximal point method converged
  double ratio() const;  // time of the complementarity solver over that of the proximal point method
};

std::vector<SolverRow> measure_solvers(bool quick);
void print_solvers(const std::vector<SolverRow>& rows);

// Two for each row, one per solver.
std::vector<nlohmann::json> solver_json_rows(const std::vector<SolverRow>& rows);

}  // namespace lipkin::bench
