#include "io/yaml_mistakes.hpp"

#include <fmt/format.h>
#include <yaml-cpp/exceptions.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <sstream>
#include <string_view>
#include <vector>

namespace lipkin {
namespace {

struct Found {
  int line = 0, column = 0;  // from 1
  std::string message, hint;
};

struct Opened {
  char bracket = 0;
  int line = 0, column = 0;
};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::size_t indentation(const std::string& line) {
  const std::size_t at = line.find_first_not_of(" \t");
  return at == std::string::npos ? line.size() : at;
}

bool is_blank(const std::string& line) {
  const std::size_t at = line.find_first_not_of(" \t\r");
  return at == std::string::npos || line[at] == '#';
}

// "key:" or "- " where a line begins.
bool begins_entry(const std::string& line) {
  const std::size_t at = indentation(line);
  if (line.compare(at, 2, "- ") == 0) return true;
  std::size_t end = at;
  while (end < line.size() && (std::isalnum(static_cast<unsigned char>(line[end])) != 0 || line[end] == '_')) ++end;
  return end > at && end < line.size() && line[end] == ':' && (end + 1 == line.size() || line[end + 1] == ' ');
}

char closing(char bracket) { return bracket == '[' ? ']' : '}'; }

std::string_view name_before(const std::string& text, std::size_t end) {
  std::size_t begin = end;
  while (begin > 0 && (std::isalnum(static_cast<unsigned char>(text[begin - 1])) != 0 || text[begin - 1] == '_'))
    --begin;
  return std::string_view(text).substr(begin, end - begin);
}

// "at: [0, 0, 1]" for "at: [0, 0, 1, q: 0.5}": the values up to what cannot be one. Empty where that is not to be seen.
std::string closed_list(const std::string& line, const Opened& opened) {
  const auto open = static_cast<std::size_t>(opened.column) - 1;
  const std::size_t colon = line.find_last_not_of(' ', open == 0 ? 0 : open - 1);
  if (opened.bracket != '[' || open == 0 || colon == std::string::npos || line[colon] != ':') return {};
  const std::string_view key = name_before(line, colon);
  const std::string inside = line.substr(open + 1, line.find_first_of("[{}\"'#", open + 1) - open - 1);
  const std::size_t last = inside.find_last_not_of(" \r");
  if (last == std::string::npos || inside[last] == ',') return {};  // there is more of it
  std::string values;
  std::istringstream items(inside);
  for (std::string item; std::getline(items, item, ',') && item.find(':') == std::string::npos;) {
    const std::size_t begin = item.find_first_not_of(' '), end = item.find_last_not_of(" \r");
    if (begin == std::string::npos) return {};
    values += (values.empty() ? "" : ", ") + item.substr(begin, end + 1 - begin);
  }
  return key.empty() || values.empty() ? std::string() : fmt::format("{}: [{}]", key, values);
}

Found left_open(const Opened& opened, const std::vector<std::string>& lines) {
  const std::string closed = closed_list(lines[static_cast<std::size_t>(opened.line - 1)], opened);
  return {opened.line, opened.column, fmt::format("this '{}' is not closed", opened.bracket),
          closed.empty() ? fmt::format("write '{}' behind the last value in it", closing(opened.bracket))
                         : "write " + closed};
}

// Follows brackets and quotes through the text as YAML does, roughly: block scalars are not known here.
class BracketScan {
 public:
  explicit BracketScan(const std::vector<std::string>& lines) : lines_(lines) {}

  std::optional<Found> run() {
    const std::vector<std::string>& lines = lines_;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const bool next_entry = !open_.empty() && quote_ == 0 && !is_blank(lines[i]) && begins_entry(lines[i]) &&
                              indentation(lines[i]) <= indentation(lines[static_cast<std::size_t>(open_[0].line - 1)]);
      if (next_entry) return left_open(open_.back(), lines_);
      if (auto found = scan_line(lines[i], static_cast<int>(i) + 1)) return found;
    }
    if (quote_ != 0)
      return Found{quote_line_, quote_column_, "this quote is not closed",
                   fmt::format("write {} at the end of the text", quote_)};
    if (!open_.empty()) return left_open(open_.back(), lines_);
    return std::nullopt;
  }

  bool ends_in_quote() const { return quote_ != 0; }

 private:
  std::optional<Found> scan_line(const std::string& line, int number) {
    char before = '\n';  // the last character that is no blank
    for (std::size_t i = 0; i < line.size(); ++i) {
      const char c = line[i];
      if (quote_ != 0) {
        i += static_cast<std::size_t>(quote_ == '"' && c == '\\');
        if (c == quote_) quote_ = 0;
        before = 'x';
        continue;
      }
      if (c == '#' && (i == 0 || line[i - 1] == ' ')) break;
      const bool begins_value = before == '\n' || std::string_view(":-[{,").find(before) != std::string_view::npos;
      if ((c == '\'' || c == '"') && begins_value) {
        quote_ = c;
        quote_line_ = number;
        quote_column_ = static_cast<int>(i) + 1;
      } else if ((c == '[' || c == '{') && (begins_value || !open_.empty())) {
        open_.push_back({c, number, static_cast<int>(i) + 1});
      } else if ((c == ']' || c == '}') && !open_.empty()) {
        if (closing(open_.back().bracket) != c) return left_open(open_.back(), lines_);
        open_.pop_back();
      } else if ((c == ']' || c == '}') && begins_value) {
        return Found{number, static_cast<int>(i) + 1, fmt::format("this '{}' closes nothing", c),
                     "leave it out, or open a bracket before it"};
      }
      if (c != ' ' && c != '\t') before = c;
    }
    return std::nullopt;
  }

  const std::vector<std::string>& lines_;
  std::vector<Opened> open_;
  char quote_ = 0;
  int quote_line_ = 0, quote_column_ = 0;
};

// A colon with no blank behind it, as in "name:rod".
std::optional<Found> tight_colon(const std::vector<std::string>& lines, int line) {
  for (int number = line; number >= 1 && number >= line - 1; --number) {
    const std::string& text = lines[static_cast<std::size_t>(number - 1)];
    std::size_t at = indentation(text);
    if (text.compare(at, 2, "- ") == 0) at += 2;
    const std::size_t colon = text.find(':', at);
    if (colon == std::string::npos || colon + 1 >= text.size() || text[colon + 1] == ' ' || colon == at) continue;
    return Found{number, static_cast<int>(colon) + 1, "a ':' without a blank behind it",
                 fmt::format("write {}: {}", text.substr(at, colon - at), text.substr(colon + 1))};
  }
  return std::nullopt;
}

// The line above that is no blank one; empty where there is none.
std::string line_above(const std::vector<std::string>& lines, int line, int* number) {
  for (*number = line - 1; *number >= 1; --*number)
    if (const std::string& above = lines[static_cast<std::size_t>(*number - 1)]; !is_blank(above)) return above;
  return {};
}

// A line that should have been "key: value" or "key:" and makes the next one wrong.
std::optional<Found> no_key(const std::vector<std::string>& lines, int line) {
  int number = 0;
  const std::string above = line_above(lines, line, &number);
  const std::size_t at = indentation(above);
  if (above.empty() || above.find(':') != std::string::npos) return std::nullopt;
  const int column = static_cast<int>(at) + 1;
  if (above.compare(at, 2, "//") == 0) return Found{number, column, "this line is no comment", "write # instead of //"};
  const std::size_t equals = above.find('=');
  if (equals == std::string::npos)
    return Found{number, column, "a key without its ':'", fmt::format("write {}:", above.substr(at))};
  const std::size_t end = above.find_last_not_of(" ", equals - 1);
  return Found{number, column, "a '=' where a ':' belongs",
               fmt::format("write {}:{}", above.substr(at, end + 1 - at), above.substr(equals + 1))};
}

// "friction: 0.8 restitution: 0.3" in braces: the entry that the colon belongs to lacks the comma before it.
std::optional<Found> no_comma(const std::string& text, int line, int column) {
  const auto colon = static_cast<std::size_t>(std::max(1, column)) - 1;
  if (colon >= text.size() || text[colon] != ':') return std::nullopt;
  const std::string_view key = name_before(text, colon);
  const std::size_t begin = colon - key.size();
  const std::size_t end = begin == 0 ? std::string::npos : text.find_last_not_of(' ', begin - 1);
  if (key.empty() || end == std::string::npos || end + 1 == begin ||
      std::string_view(",{[:").find(text[end]) != std::string_view::npos)
    return std::nullopt;
  const std::size_t comma = text.find_last_of(",{[", end);
  const std::size_t from = comma == std::string::npos ? 0 : text.find_first_not_of(' ', comma + 1);
  const std::string before = text.substr(from, end + 1 - from);
  if (before.find(": ") == std::string::npos) return std::nullopt;
  return Found{line, static_cast<int>(end) + 2, "two entries without a comma between them",
               fmt::format("write {}, {}: ...", before, key)};
}

// A text that ends before it should, at a character that means something.
std::optional<Found> cut_text(const std::string& text, int line, int column) {
  const auto at = static_cast<std::size_t>(std::max(1, column)) - 1;
  if (at == 0 || at >= text.size() || std::string_view(" ,{[:").find(text[at - 1]) != std::string_view::npos)
    return std::nullopt;
  if (text[at - 1] == '"' || text[at - 1] == '\'')
    return Found{line, column, "a text goes on behind its quotes", "put all of it in quotes"};
  return Found{line, column, fmt::format("a '{}' within a text in braces or brackets", text[at]),
               "put the text in quotes"};
}

// A line farther in than the complete entry above it.
std::optional<Found> too_far_in(const std::vector<std::string>& lines, int line) {
  int number = 0;
  const std::string above = line_above(lines, line, &number);
  const std::string& text = lines[static_cast<std::size_t>(line - 1)];
  std::size_t at = indentation(above);
  if (above.compare(at, 2, "- ") == 0) at += 2;
  const std::size_t colon = above.find(": ", at), own = indentation(text);
  if (colon == std::string::npos || !begins_entry(text) || own <= at) return std::nullopt;
  return Found{line, static_cast<int>(own) + 1, "this line is indented too far",
               fmt::format("begin it with {} blanks, to stand beside '{}' of line {}", at, above.substr(at, colon - at),
                           number)};
}

Found second_colon(const std::vector<std::string>& lines, int line, int column) {
  const std::string& text = lines[static_cast<std::size_t>(line - 1)];
  const std::size_t first = text.find(": ");
  const bool has_two = first != std::string::npos && static_cast<int>(first) + 1 < column;
  if (!has_two)
    return {line, column, "this ':' begins a value where none can stand",
            "does the line before it lack its ':', or this one some indentation?"};
  return {line, column, "a second ': ' in one value",
          fmt::format("put the value in quotes: {}: \"{}\"", text.substr(indentation(text), first - indentation(text)),
                      text.substr(first + 2))};
}

// A line that stands neither at the indentation of its neighbours nor at that of what is around them.
Found out_of_line(const std::vector<std::string>& lines, int line, int column) {
  int number = 0;
  const std::string above = line_above(lines, line, &number);
  std::size_t at = indentation(above);
  if (above.compare(at, 2, "- ") == 0) at += 2;
  if (above.empty()) return {line, column, "this line is not where its indentation says", {}};
  const std::size_t own = indentation(lines[static_cast<std::size_t>(line - 1)]);
  if (at == own + 2 && above.compare(own, 2, "- ") == 0)
    return {line, column, "an entry beside the items of a list",
            fmt::format("begin it with '- ', as line {}, or leave out the '- ' of all", number)};
  return {line, column, "this line does not begin below the keys it belongs to",
          fmt::format("begin it with {} blanks, to stand beside '{}' of line {}", at,
                      above.substr(at, above.find(':', at) - at), number)};
}

Found in_words(const std::vector<std::string>& lines, const std::string& message, int line, int column) {
  using namespace YAML::ErrorMsg;
  const std::string& text = lines[static_cast<std::size_t>(line - 1)];
  const bool has_tab = text.substr(0, indentation(text)).find('\t') != std::string::npos;
  if (message == TAB_IN_INDENTATION || has_tab) return {line, column, "a tab in the indentation", "indent with blanks"};
  if (message == MAP_VALUE || message == MAP_KEY) {
    if (const auto tight = tight_colon(lines, line)) return *tight;
    if (const auto above = no_key(lines, line)) return *above;
    if (const auto far = too_far_in(lines, line)) return *far;
    return second_colon(lines, line, column);
  }
  if (message == BLOCK_ENTRY && static_cast<std::size_t>(column) > indentation(text) + 1)
    return {line, column, "a '-' with a blank behind it begins an item of a list",
            "write the minus sign right before its number"};
  if (message == END_OF_MAP_FLOW || message == END_OF_SEQ_FLOW) {
    if (const auto comma = no_comma(text, line, column)) return *comma;
    if (const auto cut = cut_text(text, line, column)) return *cut;
    return {line, column, "a ':' or '?' within a text in braces or brackets", "put the text in quotes"};
  }
  if (message == END_OF_MAP || message == END_OF_SEQ || message == BLOCK_ENTRY) {
    if (const auto tight = tight_colon(lines, line)) return *tight;
    return out_of_line(lines, line, column);
  }
  if (message == UNKNOWN_ANCHOR || message == ALIAS_NOT_FOUND || message == CHAR_IN_ALIAS)
    return {line, column, "a text cannot begin with '*'", "put it in quotes"};
  if (message == ANCHOR_NOT_FOUND || message == CHAR_IN_ANCHOR)
    return {line, column, "a text cannot begin with '&'", "put it in quotes"};
  if (message == UNKNOWN_TOKEN || message == CHAR_IN_SCALAR) {
    if (const auto cut = cut_text(text, line, column)) return *cut;
    return {line, column, "a text cannot begin with this character", "put it in quotes"};
  }
  if (message.rfind(INVALID_ESCAPE, 0) == 0)
    return {line, column, "'\\' begins an escape within double quotes", "write it twice, or use single quotes"};
  return {line, column, message, {}};
}

}  // namespace

std::optional<InputError> open_quote(const std::string& text, const std::string& file) {
  const std::vector<std::string> lines = lines_of(text);
  const bool has_blocks = std::any_of(lines.begin(), lines.end(), [](const std::string& line) {
    const std::size_t end = line.find_last_not_of(" +-\r");
    return end != std::string::npos && (line[end] == '|' || line[end] == '>');
  });
  BracketScan scan(lines);
  const std::optional<Found> found = has_blocks ? std::nullopt : scan.run();
  if (!found || !scan.ends_in_quote()) return std::nullopt;
  return InputError({file, found->line, found->column}, "not valid YAML: " + found->message, found->hint);
}

InputError yaml_mistake(const std::string& text, const std::string& file, const std::string& parser_message, int line,
                        int column) {
  std::vector<std::string> lines = lines_of(text);
  line = std::max(line, 1);  // the parser does not know every place
  lines.resize(std::max(lines.size(), static_cast<std::size_t>(std::max(1, line))));
  std::optional<Found> found = BracketScan(lines).run();
  if (!found || found->line > line) found = in_words(lines, parser_message, line, column);
  return InputError({file, found->line, found->column}, "not valid YAML: " + found->message, found->hint);
}

}  // namespace lipkin
