// Splits the text of an expression into numbers, names and operators.
#pragma once

#include <cstddef>
#include <string_view>

namespace lipkin {

enum class TokenKind { kNumber, kName, kQuoted, kOperator, kEnd };

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string_view text;  // of a quoted name: without the quotes
  std::size_t offset = 0;
  double value = 0;  // of a number
};

// One token at a time; throws ExpressionError at a character that begins none.
class ExpressionLexer {
 public:
  explicit ExpressionLexer(std::string_view text) : text_(text) {}
  Token next();

 private:
  Token number();
  Token name();
  Token quoted_name();
  Token operator_token();
  Token take(TokenKind kind, std::size_t length);

  std::string_view text_;
  std::size_t position_ = 0;
};

}  // namespace lipkin
