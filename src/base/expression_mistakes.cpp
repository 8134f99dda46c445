#include "base/expression_mistakes.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

namespace lipkin {
namespace {

struct Replacement {
  std::string_view written;
  std::string_view meant;
};

template <std::size_t n>
std::optional<std::string_view> find(const Replacement (&table)[n], std::string_view written) {
  const auto* found =
      std::find_if(std::begin(table), std::end(table), [&](const auto& r) { return r.written == written; });
  return found == std::end(table) ? std::nullopt : std::optional(found->meant);
}

// What turns a number with this unit into one of SI units and radians; empty: nothing, it is such a unit.
constexpr Replacement kUnits[] = {{"kg", ""},
                                  {"m", ""},
                                  {"s", ""},
                                  {"sec", ""},
                                  {"N", ""},
                                  {"Nm", ""},
                                  {"J", ""},
                                  {"W", ""},
                                  {"Pa", ""},
                                  {"K", ""},
                                  {"rad", ""},
                                  {"m/s", ""},
                                  {"m/s^2", ""},
                                  {"m/s2", ""},
                                  {"rad/s", ""},
                                  {"N/m", ""},
                                  {"Nm/rad", ""},
                                  {"N*m", ""},
                                  {"kg/m^3", ""},
                                  {"kg/m3", ""},
                                  {"kg*m^2", ""},
                                  {"Ns/m", ""},
                                  {"N*s/m", ""},
                                  {"km", "*1000"},
                                  {"dm", "/10"},
                                  {"cm", "/100"},
                                  {"mm", "/1000"},
                                  {"um", "*1e-6"},
                                  {"g", "/1000"},
                                  {"mg", "*1e-6"},
                                  {"ms", "/1000"},
                                  {"us", "*1e-6"},
                                  {"min", "*60"},
                                  {"h", "*3600"},
                                  {"kN", "*1000"},
                                  {"MN", "*1e6"},
                                  {"mN", "/1000"},
                                  {"kPa", "*1000"},
                                  {"MPa", "*1e6"},
                                  {"GPa", "*1e9"},
                                  {"bar", "*1e5"},
                                  {"N/mm", "*1000"},
                                  {"kN/m", "*1000"},
                                  {"Nmm", "/1000"},
                                  {"g/cm3", "*1000"},
                                  {"g/cm^3", "*1000"},
                                  {"km/h", "/3.6"},
                                  {"kmh", "/3.6"},
                                  {"mm/s", "/1000"},
                                  {"deg", "*deg"},
                                  {"degree", "*deg"},
                                  {"degrees", "*deg"},
                                  {"deg/s", "*deg"},
                                  {"rpm", "*2*pi/60"},
                                  {"Hz", "*2*pi"},
                                  {"rev", "*2*pi"},
                                  {"inch", "*0.0254"},
                                  {"in", "*0.0254"},
                                  {"ft", "*0.3048"},
                                  {"lb", "*0.45359237"},
                                  {"lbs", "*0.45359237"}};

constexpr Replacement kWordOperators[] = {{"and", "&&"}, {"or", "||"}, {"AND", "&&"}, {"OR", "||"}, {"mod", "%"}};

constexpr Replacement kOtherFunctions[] = {{"ln", "log(x)"},
                                           {"pow", "x^y"},
                                           {"power", "x^y"},
                                           {"arctan", "atan(x)"},
                                           {"arcsin", "asin(x)"},
                                           {"arccos", "acos(x)"},
                                           {"arctan2", "atan2(y, x)"},
                                           {"radians", "x*deg"},
                                           {"rad", "x*deg"},
                                           {"deg2rad", "x*deg"},
                                           {"degrees", "x/deg"},
                                           {"rad2deg", "x/deg"},
                                           {"deg", "x*deg"},
                                           {"fabs", "abs(x)"},
                                           {"sgn", "sign(x)"},
                                           {"mod", "x % y"},
                                           {"fmod", "x % y"},
                                           {"if", "condition ? yes : no"},
                                           {"where", "condition ? yes : no"},
                                           {"heaviside", "step(x)"},
                                           {"square", "x^2"},
                                           {"saturate", "clamp(x, low, high)"},
                                           {"clip", "clamp(x, low, high)"}};

constexpr Replacement kNames[] = {{"time", "t"},  {"PI", "pi"},      {"Pi", "pi"},
                                  {"M_PI", "pi"}, {"math.pi", "pi"}, {"np.pi", "pi"}};

// What stands for these characters here.
constexpr Replacement kCharacters[] = {{"=", "=="}, {"&", "&&"}, {"|", "||"}, {"$", ""},  {"°", "*deg"},
                                       {"π", "pi"}, {"·", "*"},  {"×", "*"},  {"÷", "/"}, {"−", "-"},
                                       {"–", "-"},  {"²", "^2"}, {"³", "^3"}};

constexpr Replacement kCharacterAdvice[] = {{"{", "a parameter is written by its name alone"},
                                            {"\"", "write names in single quotes"},
                                            {"[", "an index stands right behind a variable: joint.NAME.q[0]"}};

// The text with a part of it replaced.
std::string with(std::string_view text, std::size_t begin, std::size_t end, std::string_view instead) {
  return std::string(text.substr(0, begin)) + std::string(instead) + std::string(text.substr(end));
}

bool is_part_of_unit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '/' || c == '^' || c == '*';
}

// "kg/m^3" where a name begins that may be a unit, up to the first blank.
std::string_view unit_at(std::string_view rest) {
  std::size_t length = 0;
  while (length < rest.size() && is_part_of_unit(rest[length])) ++length;
  return rest.substr(0, length);
}

std::string text_of(const Token& token) {
  const std::string text(token.text);
  return token.kind == TokenKind::kQuoted ? "'" + text + "'" : text;
}

bool is_part_of_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'; }

// The whole text with powers and names as they are written here: of 0.5*time**2 one mistake would be left otherwise.
std::string in_our_words(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && is_part_of_name(text[end])) ++end;
    if (end > i) {
      const std::string_view name = text.substr(i, end - i);
      result += find(kNames, name).value_or(name);
    } else {
      end = text.substr(i, 2) == "**" ? i + 2 : i + 1;
      result += end == i + 2 ? "^" : text.substr(i, 1);
    }
    i = end;
  }
  return result;
}

}  // namespace

std::string hint_for_operands(std::string_view text, const Token& before, const Token& here) {
  const std::string left = text_of(before), right = text_of(here);
  if (before.kind == TokenKind::kNumber && right[0] == '_')
    return "write " + with(text, before.offset + left.size(), before.offset + left.size() + 1, "") +
           " without '_' between digits";
  if (here.kind == TokenKind::kName) {
    if (const auto op = find(kWordOperators, here.text)) return "write " + std::string(*op) + " for '" + right + "'";
    const std::string_view whole = unit_at(text.substr(here.offset));
    const auto known = find(kUnits, whole);
    const auto factor = known ? known : find(kUnits, here.text);
    if (before.kind == TokenKind::kNumber && factor) {
      const std::size_t unit_end = here.offset + (known ? whole.size() : here.text.size());
      const std::string mended = with(text, before.offset + before.text.size(), unit_end, *factor);
      const bool is_angle = factor->find("deg") != factor->npos || factor->find("pi") != factor->npos;
      if (factor->empty())
        return "all numbers are in SI units: write " + mended + " without the unit; a product is " + left + "*" + right;
      return (is_angle ? "angles are in radians: write " : "all numbers are in SI units: write ") + mended;
    }
  }
  return here.text == "(" ? "a product is written " + left + "*(...)" : "a product is written " + left + "*" + right;
}

std::string hint_for_operator(std::string_view text, const Token& before, const Token& here) {
  if (before.text == "*" && here.text == "*") return "a power is written with ^: write " + in_our_words(text);
  if (before.text == "=" || here.text == "=") return "write == to compare";
  return {};
}

std::string hint_for_comma(const Token& before, const Token& following) {
  if (before.kind == TokenKind::kNumber && following.kind == TokenKind::kNumber)
    return "write " + text_of(before) + "." + text_of(following) + " with a point; several numbers are a list: [" +
           text_of(before) + ", " + text_of(following) + "]";
  return "commas separate the arguments of a function; several values are a list: [a, b]";
}

std::string hint_for_character(std::string_view text, std::size_t offset) {
  const std::string_view character = first_character(text.substr(offset));
  if (const auto advice = find(kCharacterAdvice, character)) return std::string(*advice);
  const auto meant = find(kCharacters, character);
  const bool stands_before_name =
      offset + 1 < text.size() && std::isalpha(static_cast<unsigned char>(text[offset + 1]));
  if (character == "$" && !stands_before_name) return {};
  return meant ? "write " + with(text, offset, offset + character.size(), *meant) : std::string();
}

std::string hint_for_function(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  const std::string_view own = dot == std::string_view::npos ? name : name.substr(dot + 1);
  if (const auto meant = find(kOtherFunctions, own)) return "write " + std::string(*meant);
  return own == name ? std::string() : "write " + std::string(own) + "(...)";
}

std::string hint_for_arguments(std::string_view name, int count) {
  if (name == "step" && count == 5)
    return "a smooth step from h0 at x0 to h1 at x1 is h0 + (h1 - h0)*smoothstep(x, x0, x1)";
  if (name == "step" && count == 2) return "write step(x - x0): 0 before x0, 1 from there on";
  if (name == "step" && count == 3) return "write h*step(x - x0): 0 before x0, h from there on";
  if ((name == "sin" || name == "cos") && count > 1) return "write amplitude*" + std::string(name) + "(w*t + phase)";
  return {};
}

std::string hint_for_name(std::string_view name) {
  const auto meant = find(kNames, name);
  return meant ? "write " + std::string(*meant) : std::string();
}

std::string_view first_character(std::string_view rest) {
  std::size_t length = 1;
  while (length < rest.size() && (static_cast<unsigned char>(rest[length]) & 0xC0u) == 0x80u) ++length;
  return rest.substr(0, length);
}

}  // namespace lipkin
