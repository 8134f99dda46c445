// What to write instead, for what people write in an expression: units, degrees, operators and functions of other
// languages.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/expression_lexer.hpp"

namespace lipkin {

// For two operands without an operator between them: "30 deg", "2 kg", "2(x + 1)". `text` is the whole expression.
std::string hint_for_operands(std::string_view text, const Token& before, const Token& here);

// For an operator where an operand is expected, behind another token: "2**3". `text` is the whole expression.
std::string hint_for_operator(std::string_view text, const Token& before, const Token& here);

// For a comma outside the arguments of a function: "2,5".
std::string hint_for_comma(const Token& before, const Token& following);

// For the character of `text` at `offset`, which begins no token.
std::string hint_for_character(std::string_view text, std::size_t offset);

// For a function that does not exist, as other languages call it; empty where there is nothing better than its nearest
// name.
std::string hint_for_function(std::string_view name);

// For a function that others give another number of arguments, such as Adams' step(x, x0, h0, x1, h1); empty likewise.
std::string hint_for_arguments(std::string_view name, int count);

// For a name that nothing has, as other languages call it; empty likewise.
std::string hint_for_name(std::string_view name);

// The character that begins `rest`, all its bytes.
std::string_view first_character(std::string_view rest);

}  // namespace lipkin
