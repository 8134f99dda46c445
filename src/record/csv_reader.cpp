#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>

#include "lipkin/csv.hpp"
#include "lipkin/error.hpp"

namespace lipkin {
namespace {

constexpr std::size_t kMaxDiagnostics = 10;
constexpr std::size_t kReadBlock = 1 << 20;

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// What std::strtod would take, without its dependence on the locale.
std::optional<double> parse_number(std::string_view text) {
  text = trimmed(text);
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Takes the next field off `rest`: up to a comma, or a quoted text (RFC 4180).
std::string take_field(std::string_view& rest) {
  std::string field;
  if (rest.empty() || rest.front() != '"') {
    const auto comma = rest.find(',');
    field = trimmed(rest.substr(0, comma));
    rest = comma == std::string_view::npos ? std::string_view{} : rest.substr(comma);
    return field;
  }
  std::size_t i = 1;
  for (; i < rest.size(); ++i) {
    if (rest[i] == '"' && (i + 1 >= rest.size() || rest[i + 1] != '"')) break;
    if (rest[i] == '"') ++i;
    field += rest[i];
  }
  rest = rest.substr(std::min(rest.find(',', i), rest.size()));
  return field;
}

std::vector<std::string> split_header(std::string_view line) {
  std::vector<std::string> fields;
  while (true) {
    fields.push_back(take_field(line));
    if (line.empty()) return fields;
    line.remove_prefix(1);  // the comma
  }
}

// "tip_x [m]" is the trace tip_x in m.
Trace trace_of_header(const std::string& field) {
  const auto open = field.rfind('[');
  if (field.empty() || field.back() != ']' || open == std::string::npos) return {field, {}, {}};
  return {std::string(trimmed(std::string_view(field).substr(0, open))),
          field.substr(open + 1, field.size() - open - 2),
          {}};
}

class CsvReader {
 public:
  CsvReader(std::string file, std::string_view text) : file_(std::move(file)), rest_(text) {}

  std::vector<Trace> read() {
    read_header();
    fail_if_wrong();
    while (!rest_.empty() && diagnostics_.size() < kMaxDiagnostics) read_row(take_line());
    if (diagnostics_.empty() && traces_.front().values.empty()) report(0, "has a header line but no rows of numbers");
    fail_if_wrong();
    return std::move(traces_);
  }

 private:
  std::string_view take_line() {
    ++line_;
    const auto end = rest_.find('\n');
    std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    return line;
  }

  void report(std::size_t column, std::string message, std::string hint = {}) {
    diagnostics_.push_back(
        {{file_, column == 0 ? 0 : line_, static_cast<int>(column)}, std::move(message), std::move(hint)});
  }

  void fail_if_wrong() {
    if (!diagnostics_.empty()) throw InputError(std::move(diagnostics_));
  }

  void read_header() {
    if (rest_.starts_with("\xEF\xBB\xBF")) rest_.remove_prefix(3);
    if (trimmed(rest_).empty()) return report(0, "is empty, expected a header line such as 't [s],x [m]'");
    const std::string_view line = take_line();
    if (line.find('\0') != std::string_view::npos) return report(1, "is not a text file: it has a zero byte");
    for (const std::string& field : split_header(line)) add_trace(field);
    if (traces_.size() == 1 && line.find_first_of(";\t") != std::string_view::npos) {
      report(1, "has one column", "columns are separated by commas");
    }
  }

  void add_trace(const std::string& field) {
    Trace trace = trace_of_header(field);
    const auto same_name = [&](const Trace& other) { return other.name == trace.name; };
    if (trace.name.empty()) {
      report(1, fmt::format("column {} has no name", traces_.size() + 1));
    } else if (parse_number(field)) {
      report(1, fmt::format("'{}' is a number where a column's name was expected", field),
             "the first line names the columns, as 't [s],x [m]'");
    } else if (std::any_of(traces_.begin(), traces_.end(), same_name)) {
      report(1, fmt::format("two columns are named '{}'", trace.name));
    }
    traces_.push_back(std::move(trace));
  }

  void read_row(std::string_view line) {
    if (trimmed(line).empty()) return;
    const auto field_count = 1 + static_cast<std::size_t>(std::count(line.begin(), line.end(), ','));
    if (field_count != traces_.size()) {
      return report(1, fmt::format("{} values, expected {} as in the header", field_count, traces_.size()));
    }
    std::size_t begin = 0;
    for (Trace& trace : traces_) {
      const std::size_t end = std::min(line.find(',', begin), line.size());
      trace.values.push_back(read_value(line.substr(begin, end - begin), begin + 1, trace.name));
      begin = end + 1;
    }
  }

  double read_value(std::string_view field, std::size_t column, const std::string& name) {
    if (const auto value = parse_number(field)) return *value;
    if (trimmed(field).empty()) {
      report(column, fmt::format("no value for '{}'", name), "write nan where there is none");
    } else {
      report(column, fmt::format("'{:.40}' is not a number, in column '{}'", trimmed(field), name));
    }
    return std::nan("");
  }

  std::string file_;
  std::string_view rest_;
  int line_ = 0;
  std::vector<Trace> traces_;
  std::vector<Diagnostic> diagnostics_;
};

using OpenFile = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

// Path "-" is standard input.
OpenFile open_for_reading(const std::filesystem::path& path) {
  if (path == "-") return {stdin, [](std::FILE*) { return 0; }};
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) throw InputError({path.string()}, "is a folder, expected a file");
  OpenFile file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (!file) throw InputError({path.string()}, fmt::format("cannot be read: {}", std::strerror(errno)));
  return file;
}

std::string read_whole_file(const std::filesystem::path& path) {
  const OpenFile file = open_for_reading(path);
  std::string text;
  std::size_t length = 0;
  while (true) {
    text.resize(std::max(2 * length, kReadBlock));
    const std::size_t got = std::fread(text.data() + length, 1, text.size() - length, file.get());
    if (got == 0) break;
    length += got;
  }
  text.resize(length);
  return text;
}

}  // namespace

std::vector<Trace> read_csv(const std::filesystem::path& path) {
  const std::string text = read_whole_file(path);
  return CsvReader(path == "-" ? "<stdin>" : path.string(), text).read();
}

}  // namespace lipkin
