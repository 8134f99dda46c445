// One contact problem solved by the proximal point method and as a complementarity problem.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>

#include "contact_problem.hpp"

namespace lipkin::bench {

// {"contacts", "prox": {"us", "iterations", "residual", "converged"}, "lemke": the same}, from zero impulses;
// `seconds`: how long each may be repeated, once at least.
nlohmann::json compare_solvers(const Problem& problem, double seconds);

}  // namespace lipkin::bench
