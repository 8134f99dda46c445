#include "base/expression_functions.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

#include "base/infinity.hpp"

namespace lipkin {

namespace {

constexpr double kPi = std::numbers::pi;
constexpr Interval kAnything = {-kInfinity, kInfinity};

// ---- intervals ----

Interval checked(double low, double high) { return low <= high ? Interval{low, high} : kAnything; }

Interval hull(std::initializer_list<double> values) {
  double low = kInfinity, high = -kInfinity;
  for (const double x : values) {
    if (std::isnan(x)) return kAnything;
    low = std::min(low, x), high = std::max(high, x);
  }
  return {low, high};
}

template <double (*f)(double)>
Interval rising(const Interval* x) {
  return checked(f(x->low), f(x->high));
}
template <double (*f)(double)>
Interval falling(const Interval* x) {
  return checked(f(x->high), f(x->low));
}

double times(double a, double b) { return a == 0 || b == 0 ? 0 : a * b; }  // zero times what has no bound is zero

Interval sum(const Interval* x) { return checked(x[0].low + x[1].low, x[0].high + x[1].high); }
Interval difference(const Interval* x) { return checked(x[0].low - x[1].high, x[0].high - x[1].low); }
Interval product(const Interval* x) {
  return hull(
      {times(x[0].low, x[1].low), times(x[0].low, x[1].high), times(x[0].high, x[1].low), times(x[0].high, x[1].high)});
}
Interval quotient(const Interval* x) {
  if (x[1].contains(0)) return kAnything;
  return hull({x[0].low / x[1].low, x[0].low / x[1].high, x[0].high / x[1].low, x[0].high / x[1].high});
}
Interval remainder(const Interval* x) {
  const Interval q = quotient(x);
  if (x[1].is_point() && std::floor(q.low) == std::floor(q.high)) {
    const double taken = x[1].low * std::floor(q.low);
    return checked(x[0].low - taken, x[0].high - taken);
  }
  return {std::min(x[1].low, 0.0), std::max(x[1].high, 0.0)};
}

// Of a wave of 2 pi that is at its crest at `crest` and at its trough half a turn on.
Interval wave(const Interval& x, double (*f)(double), double crest) {
  const auto passes = [&](double at) {
    return std::ceil((x.low - at) / (2 * kPi)) <= std::floor((x.high - at) / (2 * kPi));
  };
  if (!(x.high - x.low < 2 * kPi)) return {-1, 1};
  const double a = f(x.low), b = f(x.high);
  return checked(passes(crest + kPi) ? -1 : std::min(a, b), passes(crest) ? 1 : std::max(a, b));
}

Interval absolute(const Interval* x) {
  const double a = std::abs(x->low), b = std::abs(x->high);
  return {x->contains(0) ? 0 : std::min(a, b), std::max(a, b)};
}

Interval power_range(const Interval* x) {
  const bool whole = x[1].is_point() && std::floor(x[1].low) == x[1].low;
  if (x[0].low > 0 || (whole && x[1].low > 0 && x[0].low >= 0))
    return hull({std::pow(x[0].low, x[1].low), std::pow(x[0].low, x[1].high), std::pow(x[0].high, x[1].low),
                 std::pow(x[0].high, x[1].high)});
  if (!whole || x[1].low < 0) return kAnything;
  const double a = std::pow(x[0].low, x[1].low), b = std::pow(x[0].high, x[1].low);
  const bool even = std::fmod(x[1].low, 2) == 0;
  return even && x[0].contains(0) ? hull({0, a, b}) : hull({a, b});
}

Interval truth(const Interval*) { return {0, 1}; }

// Of a comparison, by the difference of its sides.
Interval compared(const Interval* x, double (*f)(double, double)) {
  const Interval d = difference(x);
  if (d.contains(0) && !(x[0].is_point() && x[1].is_point())) return {0, 1};
  const double value = f(x[0].low, x[1].low);
  return {value, value};
}

// ---- where functions are not smooth ----

bool apart(const Interval* x) { return !difference(x).contains(0); }
bool has_sign(const Interval* x) { return !x->contains(0); }

template <double (*f)(double)>
bool same_integer(const Interval* x) {
  return f(x->low) == f(x->high);
}
bool same_multiple(const Interval* x) {
  const Interval q = quotient(x);
  return std::floor(q.low) == std::floor(q.high);
}
bool apart_from_both(const Interval* x) {
  const Interval low[] = {x[0], x[1]}, high[] = {x[0], x[2]};
  return apart(low) && apart(high);
}
bool same_draw(const Interval* x) { return x[0].is_point() && std::floor(x[1].low) == std::floor(x[1].high); }

// Functions that fade away: not smooth in the sense of a kink, but a step at rest that begins and ends where nothing is
// left of them would pass over a pulse between. So where they begin to count, beside 1 (e^-36 is the rounding of 1),
// and where most of them is still to come, are told like kinks.
constexpr double kFaded = 36, kFading = 4;
bool counts_alike(const Interval* x) { return !x->contains(-kFaded) && !x->contains(-kFading); }
bool saturates_alike(const Interval* x) {  // e^-2x of a hyperbolic function counts like e^-x
  const Interval size = absolute(x);
  return !size.contains(0.5 * kFaded) && !size.contains(0.5 * kFading);
}
bool grows_alike(const Interval* x) {
  const Interval size = absolute(x);
  return !size.contains(kFaded) && !size.contains(kFading);
}

// ---- values ----

double negate(double x) { return -x; }
double sine(double x) { return std::sin(x); }
double cosine(double x) { return std::cos(x); }
double tangent(double x) { return std::tan(x); }
double arc_sine(double x) { return std::asin(x); }
double arc_cosine(double x) { return std::acos(x); }
double arc_tangent(double x) { return std::atan(x); }
double hyperbolic_sine(double x) { return std::sinh(x); }
double hyperbolic_cosine(double x) { return std::cosh(x); }
double hyperbolic_tangent(double x) { return std::tanh(x); }
double exponential(double x) { return std::exp(x); }
double logarithm(double x) { return std::log(x); }
double logarithm10(double x) { return std::log10(x); }
double root(double x) { return std::sqrt(x); }
double floor_of(double x) { return std::floor(x); }
double ceil_of(double x) { return std::ceil(x); }
double round_of(double x) { return std::round(x); }

// What is not a number is none in what follows from it either: choices between numbers would swallow it.
template <class... Numbers>
double unless_nan(double value, Numbers... arguments) {
  return (... || std::isnan(arguments)) ? std::numeric_limits<double>::quiet_NaN() : value;
}

double sign_of(double x) { return unless_nan(static_cast<double>(x > 0) - static_cast<double>(x < 0), x); }
double step_of(double x) { return unless_nan(x >= 0 ? 1.0 : 0.0, x); }
double remainder_of(double x, double y) { return x - y * std::floor(x / y); }
double equal(double x, double y) { return unless_nan(x == y ? 1.0 : 0.0, x, y); }
double unequal(double x, double y) { return unless_nan(x != y ? 1.0 : 0.0, x, y); }
double less(double x, double y) { return unless_nan(x < y ? 1.0 : 0.0, x, y); }
double at_most(double x, double y) { return unless_nan(x <= y ? 1.0 : 0.0, x, y); }
double greater(double x, double y) { return unless_nan(x > y ? 1.0 : 0.0, x, y); }
double at_least(double x, double y) { return unless_nan(x >= y ? 1.0 : 0.0, x, y); }
double smaller_of(double x, double y) { return unless_nan(std::min(x, y), x, y); }
double larger_of(double x, double y) { return unless_nan(std::max(x, y), x, y); }
double clamp_of(double x, double low, double high) { return smaller_of(larger_of(x, low), high); }

double smoothstep(double x, double edge0, double edge1) {
  const double s = std::clamp((x - edge0) / (edge1 - edge0), 0.0, 1.0);
  return s * s * s * (s * (6 * s - 15) + 10);
}

void smoothstep_slopes(const double* x, double* slopes) {
  const double width = x[2] - x[1], s = std::clamp((x[0] - x[1]) / width, 0.0, 1.0);
  const double steep = 30 * s * s * (s * (s - 2) + 1) / width;
  slopes[0] = steep, slopes[1] = -steep * (1 - s), slopes[2] = -steep * s;
}

// The n-th draw of Knuth's linear congruential generator of 64 bits (MMIX), its top 53 bits as a number from 0 to 1.
// The steps to it are taken by repeated squaring (Brown 1994): a draw does not cost more the later it comes.
double lcg(double seed, double n) {
  if (!(seed >= 0 && seed < 0x1p53 && n >= 1 && n < 0x1p53)) return std::numeric_limits<double>::quiet_NaN();
  std::uint64_t factor = 6364136223846793005u, offset = 1442695040888963407u;
  std::uint64_t total_factor = 1, total_offset = 0;
  for (auto steps = static_cast<std::uint64_t>(n); steps > 0; steps /= 2) {
    if (steps % 2 == 1) {
      total_factor *= factor;
      total_offset = total_offset * factor + offset;
    }
    offset *= factor + 1;
    factor *= factor;
  }
  return static_cast<double>((total_factor * static_cast<std::uint64_t>(seed) + total_offset) >> 11) * 0x1p-53;
}

void power_slopes(const double* x, double* slopes) {
  slopes[0] = x[1] == 0 ? 0 : x[1] * std::pow(x[0], x[1] - 1);
  slopes[1] = x[0] == 0 ? 0 : std::pow(x[0], x[1]) * std::log(x[0]);
}

void hypot_slopes(const double* x, double* slopes) {
  const double length = std::hypot(x[0], x[1]);
  slopes[0] = length > 0 ? x[0] / length : 0, slopes[1] = length > 0 ? x[1] / length : 0;
}

void clamp_slopes(const double* x, double* slopes) {
  const bool above = std::max(x[0], x[1]) > x[2], below = !above && x[0] < x[1];
  slopes[0] = !above && !below, slopes[1] = below, slopes[2] = above;
}

// ---- continuity ----

bool jumps(const double*) { return false; }
bool continuous_by_constant(const double* constants) { return std::abs(constants[1]) > 0; }  // false for NaN
bool continuous_for_exponent(const double* constants) { return constants[1] >= 0; }
bool continuous_between_edges(const double* constants) {
  return constants[1] < constants[2] || constants[1] > constants[2];
}

// ---- tables ----

const ExpressionFunction kFunctions[] = {
    {.name = "sin",
     .unary = sine,
     .slopes = [](const double* x, double* s) { *s = std::cos(*x); },
     .range = [](const Interval* x) { return wave(*x, sine, 0.5 * kPi); }},
    {.name = "cos",
     .unary = cosine,
     .slopes = [](const double* x, double* s) { *s = -std::sin(*x); },
     .range = [](const Interval* x) { return wave(*x, cosine, 0); }},
    {.name = "tan",
     .unary = tangent,
     .slopes = [](const double* x, double* s) { *s = 1 + std::tan(*x) * std::tan(*x); },
     .range =
         [](const Interval* x) {
           const bool one_branch = std::floor(x->low / kPi + 0.5) == std::floor(x->high / kPi + 0.5);
           return one_branch ? rising<tangent>(x) : kAnything;
         },
     .is_continuous = jumps},
    {.name = "asin",
     .unary = arc_sine,
     .slopes = [](const double* x, double* s) { *s = 1 / std::sqrt(1 - *x * *x); },
     .range = rising<arc_sine>},
    {.name = "acos",
     .unary = arc_cosine,
     .slopes = [](const double* x, double* s) { *s = -1 / std::sqrt(1 - *x * *x); },
     .range = falling<arc_cosine>},
    {.name = "atan",
     .unary = arc_tangent,
     .slopes = [](const double* x, double* s) { *s = 1 / (1 + *x * *x); },
     .range = rising<arc_tangent>},
    {.name = "sinh",
     .unary = hyperbolic_sine,
     .slopes = [](const double* x, double* s) { *s = std::cosh(*x); },
     .range = rising<hyperbolic_sine>},
    {.name = "cosh",
     .unary = hyperbolic_cosine,
     .slopes = [](const double* x, double* s) { *s = std::sinh(*x); },
     .range =
         [](const Interval* x) {
           const Interval size = absolute(x);
           return rising<hyperbolic_cosine>(&size);
         },
     .is_smooth = grows_alike},
    {.name = "tanh",
     .unary = hyperbolic_tangent,
     .slopes = [](const double* x, double* s) { *s = 1 - std::tanh(*x) * std::tanh(*x); },
     .range = rising<hyperbolic_tangent>,
     .is_smooth = saturates_alike},
    {.name = "exp",
     .unary = exponential,
     .slopes = [](const double* x, double* s) { *s = std::exp(*x); },
     .range = rising<exponential>,
     .is_smooth = counts_alike},
    {.name = "log",
     .unary = logarithm,
     .slopes = [](const double* x, double* s) { *s = 1 / *x; },
     .range = rising<logarithm>,
     .is_continuous = jumps},
    {.name = "log10",
     .unary = logarithm10,
     .slopes = [](const double* x, double* s) { *s = 1 / (*x * std::numbers::ln10); },
     .range = rising<logarithm10>,
     .is_continuous = jumps},
    {.name = "sqrt",
     .unary = root,
     .slopes = [](const double* x, double* s) { *s = 0.5 / std::sqrt(*x); },
     .range = rising<root>},
    {.name = "abs",
     .unary = [](double x) { return std::abs(x); },
     .slopes = [](const double* x, double* s) { *s = *x < 0 ? -1 : 1; },
     .range = absolute,
     .is_smooth = has_sign},
    {.name = "floor",
     .unary = floor_of,
     .range = rising<floor_of>,
     .is_smooth = same_integer<floor_of>,
     .is_continuous = jumps},
    {.name = "ceil",
     .unary = ceil_of,
     .range = rising<ceil_of>,
     .is_smooth = same_integer<ceil_of>,
     .is_continuous = jumps},
    {.name = "round",
     .unary = round_of,
     .range = rising<round_of>,
     .is_smooth = same_integer<round_of>,
     .is_continuous = jumps},
    {.name = "sign", .unary = sign_of, .range = rising<sign_of>, .is_smooth = has_sign, .is_continuous = jumps},
    {.name = "step", .unary = step_of, .range = rising<step_of>, .is_smooth = has_sign, .is_continuous = jumps},
    {.name = "atan2",
     .binary = [](double y, double x) { return std::atan2(y, x); },
     .slopes =
         [](const double* x, double* s) {
           const double squared = x[0] * x[0] + x[1] * x[1];
           s[0] = x[1] / squared, s[1] = -x[0] / squared;
         },
     .range =
         [](const Interval*) {
           return Interval{-kPi, kPi};
         },
     .is_continuous = jumps},
    {.name = "hypot",
     .binary = [](double x, double y) { return std::hypot(x, y); },
     .slopes = hypot_slopes,
     .range =
         [](const Interval* x) {
           const Interval a = absolute(x), b = absolute(x + 1);
           return checked(std::hypot(a.low, b.low), std::hypot(a.high, b.high));
         }},
    {.name = "lcg", .binary = lcg, .range = truth, .is_smooth = same_draw, .is_continuous = jumps},
    {.name = "min",
     .binary = smaller_of,
     .slopes = [](const double* x, double* s) { s[0] = !(x[1] < x[0]), s[1] = x[1] < x[0]; },
     .range = [](const Interval* x) { return checked(std::min(x[0].low, x[1].low), std::min(x[0].high, x[1].high)); },
     .is_smooth = apart,
     .is_folded = true},
    {.name = "max",
     .binary = larger_of,
     .slopes = [](const double* x, double* s) { s[0] = !(x[0] < x[1]), s[1] = x[0] < x[1]; },
     .range = [](const Interval* x) { return checked(std::max(x[0].low, x[1].low), std::max(x[0].high, x[1].high)); },
     .is_smooth = apart,
     .is_folded = true},
    {.name = "clamp",
     .ternary = clamp_of,
     .slopes = clamp_slopes,
     .range =
         [](const Interval* x) {
           return checked(clamp_of(x[0].low, x[1].low, x[2].low), clamp_of(x[0].high, x[1].high, x[2].high));
         },
     .is_smooth = apart_from_both},
    {.name = "smoothstep",
     .ternary = smoothstep,
     .slopes = smoothstep_slopes,
     .range =
         [](const Interval* x) {
           if (!x[1].is_point() || !x[2].is_point()) return Interval{0, 1};
           return hull({smoothstep(x[0].low, x[1].low, x[2].low), smoothstep(x[0].high, x[1].low, x[2].low)});
         },
     .is_smooth = apart_from_both,
     .is_continuous = continuous_between_edges},
};

template <double (*f)(double, double)>
Interval comparison(const Interval* x) {
  return compared(x, f);
}

const ExpressionFunction kOperators[] = {
    {.name = "||",
     .binary = [](double x, double y) { return unless_nan(x != 0 || y != 0 ? 1.0 : 0.0, x, y); },
     .range = truth,
     .is_continuous = jumps,
     .precedence = 1},
    {.name = "&&",
     .binary = [](double x, double y) { return unless_nan(x != 0 && y != 0 ? 1.0 : 0.0, x, y); },
     .range = truth,
     .is_continuous = jumps,
     .precedence = 2},
    {.name = "==",
     .binary = equal,
     .range = comparison<equal>,
     .is_smooth = apart,
     .is_continuous = jumps,
     .precedence = kComparisonPrecedence},
    {.name = "!=",
     .binary = unequal,
     .range = comparison<unequal>,
     .is_smooth = apart,
     .is_continuous = jumps,
     .precedence = kComparisonPrecedence},
    {.name = "<",
     .binary = less,
     .range = comparison<less>,
     .is_smooth = apart,
     .is_continuous = jumps,
     .precedence = kComparisonPrecedence},
    {.name = "<=",
     .binary = at_most,
     .range = comparison<at_most>,
     .is_smooth = apart,
     .is_continuous = jumps,
     .precedence = kComparisonPrecedence},
    {.name = ">",
     .binary = greater,
     .range = comparison<greater>,
     .is_smooth = apart,
     .is_continuous = jumps,
     .precedence = kComparisonPrecedence},
    {.name = ">=",
     .binary = at_least,
     .range = comparison<at_least>,
     .is_smooth = apart,
     .is_continuous = jumps,
     .precedence = kComparisonPrecedence},
    {.name = "+",
     .binary = [](double x, double y) { return x + y; },
     .slopes = [](const double*, double* s) { s[0] = s[1] = 1; },
     .range = sum,
     .precedence = 4},
    {.name = "-",
     .binary = [](double x, double y) { return x - y; },
     .slopes = [](const double*, double* s) { s[0] = 1, s[1] = -1; },
     .range = difference,
     .precedence = 4},
    {.name = "*",
     .binary = [](double x, double y) { return x * y; },
     .slopes = [](const double* x, double* s) { s[0] = x[1], s[1] = x[0]; },
     .range = product,
     .precedence = 5},
    {.name = "/",
     .binary = [](double x, double y) { return x / y; },
     .slopes = [](const double* x, double* s) { s[0] = 1 / x[1], s[1] = -x[0] / (x[1] * x[1]); },
     .range = quotient,
     .is_continuous = continuous_by_constant,
     .precedence = 5},
    {.name = "%",
     .binary = remainder_of,
     .slopes = [](const double* x, double* s) { s[0] = 1, s[1] = -std::floor(x[0] / x[1]); },
     .range = remainder,
     .is_smooth = same_multiple,
     .is_continuous = jumps,
     .precedence = 5},
};

struct NamedConstant {
  std::string_view name;
  double value;
};
constexpr NamedConstant kConstants[] = {{"pi", kPi}, {"deg", kPi / 180}, {"inf", kInfinity}};

template <class Table>
auto* find_named(const Table& table, std::string_view name) {
  const auto* found = std::find_if(std::begin(table), std::end(table), [&](const auto& e) { return e.name == name; });
  return found == std::end(table) ? nullptr : found;
}

}  // namespace

const ExpressionFunction kNegation = {
    .name = "-", .unary = negate, .slopes = [](const double*, double* s) { *s = -1; }, .range = falling<negate>};
const ExpressionFunction kLogicalNot = {.name = "!",
                                        .unary = [](double x) { return unless_nan(x == 0 ? 1.0 : 0.0, x); },
                                        .range = truth,
                                        .is_continuous = jumps};
const ExpressionFunction kPower = {.name = "^",
                                   .binary = [](double x, double y) { return std::pow(x, y); },
                                   .slopes = power_slopes,
                                   .range = power_range,
                                   .is_continuous = continuous_for_exponent};
const ExpressionFunction kSelection = {
    .name = "?",
    .ternary = [](double condition, double yes, double no) { return unless_nan(condition != 0 ? yes : no, condition); },
    .slopes = [](const double* x, double* s) { s[0] = 0, s[1] = x[0] != 0, s[2] = x[0] == 0; },
    .range =
        [](const Interval* x) {
          if (!x[0].contains(0)) return x[1];
          if (x[0].is_point()) return x[2];
          return Interval{std::min(x[1].low, x[2].low), std::max(x[1].high, x[2].high)};
        },
    .is_continuous = jumps};

const ExpressionFunction* find_expression_function(std::string_view name) { return find_named(kFunctions, name); }
const ExpressionFunction* find_expression_operator(std::string_view text) { return find_named(kOperators, text); }

const double* find_expression_constant(std::string_view name) {
  const NamedConstant* found = find_named(kConstants, name);
  return found ? &found->value : nullptr;
}

std::vector<std::string> expression_function_names() {
  std::vector<std::string> names;
  for (const ExpressionFunction& f : kFunctions) names.emplace_back(f.name);
  return names;
}

}  // namespace lipkin
