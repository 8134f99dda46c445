#include <fmt/format.h>

#include "lipkin/import.hpp"

namespace lipkin {

std::string_view name_of(Treatment treatment) {
  switch (treatment) {
    case Treatment::kHonoured:
      return "honoured";
    case Treatment::kApproximated:
      return "approximated";
    case Treatment::kIgnored:
      return "ignored";
  }
  throw InvalidArgument("no treatment has the number " + std::to_string(static_cast<int>(treatment)));
}

int ImportReport::count(Treatment treatment) const {
  int sum = 0;
  for (const ImportNote& note : notes_)
    if (note.treatment == treatment) sum += note.count;
  return sum;
}

void ImportReport::add(const std::string& tag, Treatment treatment, const std::string& reason,
                       const SourceLocation& where, bool changes_motion) {
  const auto [known, is_new] = index_.emplace(std::tuple(tag, treatment, reason), notes_.size());
  if (is_new) notes_.push_back({tag, treatment, reason, false, {}, 0});
  ImportNote& note = notes_[known->second];
  note.changes_motion = note.changes_motion || changes_motion;
  ++note.count;
  if (note.places.size() < kMaxPlaces) note.places.push_back(where);
}

std::string ImportReport::summary() const {
  return fmt::format("{}: {} tags honoured, {} approximated, {} ignored", format_, count(Treatment::kHonoured),
                     count(Treatment::kApproximated), count(Treatment::kIgnored));
}

}  // namespace lipkin
