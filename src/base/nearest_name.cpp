#include "base/nearest_name.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace lipkin {
namespace {

// Longer names are never compared: the table below stays small and a hint stays cheap among 100,000 names.
constexpr std::size_t kLongestName = 64;
using Row = std::array<std::size_t, kLongestName + 1>;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same_letter(char a, char b) { return lower(a) == lower(b); }

// Optimal string alignment distance, row by row (Boytsov 2011, "Indexing methods for approximate dictionary
// searching", section 2.2).
std::size_t edit_distance(std::string_view a, std::string_view b) {
  Row before_last{}, last{}, row{};
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (same_letter(a[i - 1], b[j - 1]) ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      const bool swapped = i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) && same_letter(a[i - 2], b[j - 1]);
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    before_last = last;
    last = row;
  }
  return last[b.size()];
}

// An unfinished name ("stiff" for "stiffness") counts as one slip.
bool is_beginning(std::string_view part, std::string_view whole) {
  constexpr std::size_t kMeaningful = 3;
  return part.size() >= kMeaningful && part.size() < whole.size() && whole.substr(0, part.size()) == part;
}

}  // namespace

std::string nearest_name(std::string_view wanted, std::span<const std::string> known) {
  if (wanted.empty() || wanted.size() > kLongestName) return {};
  std::size_t best = std::max<std::size_t>(1, (wanted.size() + 1) / 3) + 1;
  const std::string* nearest = nullptr;
  for (const std::string& name : known) {
    const std::size_t length_difference = std::max(name.size(), wanted.size()) - std::min(name.size(), wanted.size());
    const bool unfinished = is_beginning(wanted, name);
    if (name.size() > kLongestName || (length_difference >= best && !unfinished)) continue;
    const std::size_t distance = unfinished ? 1 : edit_distance(wanted, name);
    if (distance >= best || distance >= std::max(name.size(), wanted.size())) continue;
    best = distance;
    nearest = &name;
  }
  return nearest ? *nearest : std::string();
}

std::string did_you_mean(std::string_view wanted, std::span<const std::string> known) {
  const std::string nearest = nearest_name(wanted, known);
  return nearest.empty() ? std::string() : "did you mean '" + nearest + "'?";
}

}  // namespace lipkin
