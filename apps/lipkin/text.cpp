#include "text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace lipkin::cli {
namespace {

// Code points, not bytes: names may have accents, units have superscripts.
std::size_t display_width(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](unsigned char c) { return (c & 0xC0u) != 0x80u; }));
}

std::string padded(const std::string& text, std::size_t width, bool left) {
  const std::string spaces(width - std::min(width, display_width(text)), ' ');
  return left ? text + spaces : spaces + text;
}

std::vector<std::size_t> column_widths(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()), 0);
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], display_width(row[i]));
  }
  return widths;
}

}  // namespace

std::string duration_text(double seconds) {
  struct Unit {
    double size;
    const char* name;
  };
  static constexpr std::array<Unit, 4> kUnits = {{{1, "s"}, {1e-3, "ms"}, {1e-6, "\u00b5s"}, {1e-9, "ns"}}};
  for (const Unit& unit : kUnits) {
    if (std::abs(seconds) >= unit.size || unit.size == kUnits.back().size) {
      const double value = seconds / unit.size;
      const int decimals = std::abs(value) >= 100 ? 0 : (std::abs(value) >= 10 ? 1 : 2);
      return fmt::format("{:.{}f} {}", value, decimals, unit.name);
    }
  }
  return {};
}

std::string factor_text(double factor) {
  return factor >= 100 ? fmt::format("{:.0f}", factor) : fmt::format("{:.3g}", factor);
}

std::string number_text(double value) { return std::isnan(value) ? "nan" : fmt::format("{:.9g}", value); }

std::string table_text(const std::vector<std::vector<std::string>>& rows, const std::vector<bool>& left_columns) {
  const std::vector<std::size_t> widths = column_widths(rows);
  std::string text;
  for (const auto& row : rows) {
    std::string line = "  ";
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) line += "  ";
      line += padded(row[i], widths[i], i < left_columns.size() && left_columns[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

}  // namespace lipkin::cli
