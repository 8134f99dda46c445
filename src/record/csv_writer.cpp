#include <fmt/format.h>

#include <array>
#include <charconv>

#include "base/shown.hpp"
#include "lipkin/csv.hpp"
#include "lipkin/error.hpp"
#include "record/atomic_file.hpp"

namespace lipkin {
namespace {

constexpr std::size_t kLongestNumber = 32;  // shortest round-trip text of a double has at most 24 characters

// RFC 4180: a field with a separator, a quote or a line break stands in quotes, its quotes doubled.
std::string quoted_if_needed(const std::string& field) {
  if (field.find_first_of(",\"\r\n") == std::string::npos) return field;
  std::string quoted = "\"";
  for (const char c : field) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::string header_line(std::span<const Trace> traces) {
  std::string line;
  for (const Trace& trace : traces) {
    if (!line.empty()) line += ',';
    line += quoted_if_needed(trace.label());
  }
  return line + '\n';
}

}  // namespace

std::string Trace::label() const { return unit.empty() ? name : fmt::format("{} [{}]", name, unit); }

struct CsvWriter::Impl {
  AtomicFile file;
  std::size_t column_count;
  std::string line;  // reused, so that a row allocates nothing

  Impl(const std::filesystem::path& path, std::span<const Trace> traces) : file(path), column_count(traces.size()) {
    line.reserve(column_count * kLongestNumber);
    file.write(header_line(traces));
  }
};

CsvWriter::CsvWriter(const std::filesystem::path& path, std::span<const Trace> traces)
    : impl_(std::make_unique<Impl>(path, traces)) {}
CsvWriter::~CsvWriter() = default;
CsvWriter::CsvWriter(CsvWriter&&) noexcept = default;
CsvWriter& CsvWriter::operator=(CsvWriter&&) noexcept = default;

void CsvWriter::write_row(std::span<const double> values) {
  if (values.size() != impl_->column_count) {
    throw InvalidArgument(
        fmt::format("a row of {} values was given to a file of {} columns", values.size(), impl_->column_count));
  }
  std::string& line = impl_->line;
  line.clear();
  std::array<char, kLongestNumber> text;
  for (const double value : values) {
    if (!line.empty()) line += ',';
    const auto end = std::to_chars(text.data(), text.data() + text.size(), shown(value)).ptr;
    line.append(text.data(), end);
  }
  line += '\n';
  impl_->file.write(line);
}

void CsvWriter::finish() { impl_->file.commit(); }

}  // namespace lipkin
