// The terms of the energy and momentum balance, as a run says them at its end.
#pragma once

#include <string>
#include <vector>

#include "failure.hpp"
#include "lipkin/balance.hpp"

namespace lipkin::cli {

// Added to the report's "energy".
void add_balance(const EnergyBalance& balance, Json& energy);
Json balance_json(const MomentumBalance& balance);

// Rows of a name and what is said of it.
std::vector<std::vector<std::string>> balance_rows(const EnergyBalance& energy, const MomentumBalance& momentum);

}  // namespace lipkin::cli
