#include "io/xml/number_text.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>

#include "io/xml/xml_document.hpp"

namespace lipkin {
namespace {

constexpr std::string_view kSpaces = " \t\n\r\f\v";

// A number beyond the range of a double, too large or too small: which one its exponent tells.
bool is_tiny(std::string_view word) {
  const std::size_t exponent = word.find_first_of("eE");
  if (exponent != std::string_view::npos) return exponent + 1 < word.size() && word[exponent + 1] == '-';
  const std::size_t first_digit = word.find_first_of("123456789"), point = word.find('.');
  return point != std::string_view::npos && first_digit > point;
}

std::string why_not(std::string_view word) {
  const std::string shown = shortened(word);
  if (word.find("$(") != std::string_view::npos || word.find("${") != std::string_view::npos)
    return fmt::format("'{}' is a substitution that nobody has filled in (run xacro first)", shown);
  if (word.find(',') != std::string_view::npos)
    return fmt::format("'{}' is not a number: use a point for decimals and spaces between numbers", shown);
  return fmt::format("'{}' is not a number", shown);
}

}  // namespace

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t begin = text.find_first_not_of(kSpaces); begin != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(kSpaces, begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = text.find_first_not_of(kSpaces, end);
  }
  return words;
}

std::string read_number(std::string_view word, double& value) {
  const bool has_plus = word.size() > 1 && word[0] == '+' && word[1] != '-' && word[1] != '+';
  const char* const begin = word.data() + (has_plus ? 1 : 0);
  const char* const end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(begin, end, value);
  if (stop != end || error == std::errc::invalid_argument) return why_not(word);
  if (error != std::errc::result_out_of_range) return {};
  if (!is_tiny(word)) return fmt::format("'{}' is out of the range of a double", shortened(word));
  value = 0;
  return {};
}

}  // namespace lipkin
