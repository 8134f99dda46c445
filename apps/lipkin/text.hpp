// Numbers and tables for people.
#pragma once

#include <string>
#include <vector>

namespace lipkin::cli {

// "1.23 ms": three digits and a prefix, for times [s].
std::string duration_text(double seconds);

// "1350", "12.3": how many times faster.
std::string factor_text(double factor);

// Nine significant digits.
std::string number_text(double value);

// Rows of cells in columns, the first row being the header; numbers to the right, `left_columns` to the left. Each
// line begins with two spaces.
std::string table_text(const std::vector<std::vector<std::string>>& rows, const std::vector<bool>& left_columns);

}  // namespace lipkin::cli
