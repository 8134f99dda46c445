#include "base/expression_lexer.hpp"

#include <charconv>
#include <string>

#include "base/expression.hpp"
#include "base/expression_mistakes.hpp"

namespace lipkin {
namespace {

// The C locale's classes, whatever the program's locale.
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

constexpr char kQuote = '\'';

std::size_t identifier_length(std::string_view text) {
  if (text.empty() || !is_letter(text[0])) return 0;
  std::size_t length = 1;
  while (length < text.size() && (is_letter(text[length]) || is_digit(text[length]))) ++length;
  return length;
}

// "[12]" behind a dotted name.
std::size_t index_length(std::string_view text) {
  if (text.empty() || text[0] != '[') return 0;
  std::size_t length = 1;
  while (length < text.size() && is_digit(text[length])) ++length;
  const bool closed = length > 1 && length < text.size() && text[length] == ']';
  return closed ? length + 1 : 0;
}

std::string quoted(std::string_view character) {
  const bool control = character[0] >= 0 && character[0] < ' ';
  return control ? std::string("outside plain text") : "'" + std::string(character) + "'";
}

}  // namespace

bool is_identifier(std::string_view name) { return !name.empty() && identifier_length(name) == name.size(); }

std::string variable_text(std::string_view name) {
  ExpressionLexer lexer(name);
  bool is_plain = false;
  try {
    is_plain = lexer.next().text == name;
  } catch (const ExpressionError&) {
    is_plain = false;  // so it needs quotes
  }
  return is_plain ? std::string(name) : kQuote + std::string(name) + kQuote;
}

Token ExpressionLexer::next() {
  while (position_ < text_.size() && is_space(text_[position_])) ++position_;
  if (position_ == text_.size()) return take(TokenKind::kEnd, 0);
  const char c = text_[position_];
  if (is_digit(c) || c == '.') return number();
  if (is_letter(c)) return name();
  if (c == kQuote) return quoted_name();
  return operator_token();
}

Token ExpressionLexer::take(TokenKind kind, std::size_t length) {
  const Token token{kind, text_.substr(position_, length), position_, 0};
  position_ += length;
  return token;
}

Token ExpressionLexer::number() {
  const char* begin = text_.data() + position_;
  double value = 0;
  const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
  if (error == std::errc::result_out_of_range)
    throw ExpressionError("the number '" + std::string(begin, end) + "' is out of range", position_);
  if (error != std::errc()) throw ExpressionError("expected digits beside '.'", position_);
  Token token = take(TokenKind::kNumber, static_cast<std::size_t>(end - begin));
  token.value = value;
  return token;
}

Token ExpressionLexer::name() {
  const std::string_view rest = text_.substr(position_);
  std::size_t length = identifier_length(rest);
  while (length < rest.size() && rest[length] == '.') {
    const std::size_t segment = identifier_length(rest.substr(length + 1));
    if (segment == 0) throw ExpressionError("expected a name behind '.'", position_ + length + 1);
    length += 1 + segment;
  }
  return take(TokenKind::kName, length + index_length(rest.substr(length)));
}

Token ExpressionLexer::quoted_name() {
  const std::size_t end = text_.find(kQuote, position_ + 1);
  if (end == std::string_view::npos) throw ExpressionError("a name in quotes does not end", position_);
  if (end == position_ + 1) throw ExpressionError("expected a name within the quotes", position_);
  const Token token{TokenKind::kQuoted, text_.substr(position_ + 1, end - position_ - 1), position_, 0};
  position_ = end + 1;
  return token;
}

Token ExpressionLexer::operator_token() {
  constexpr std::string_view kTwo[] = {"&&", "||", "==", "!=", "<=", ">="};
  for (const std::string_view two : kTwo)
    if (text_.substr(position_, 2) == two) return take(TokenKind::kOperator, 2);
  const char c = text_[position_];
  if (std::string_view("+-*/%^()<>!?:,").find(c) == std::string_view::npos)
    throw ExpressionError("unexpected character " + quoted(first_character(text_.substr(position_))), position_,
                          hint_for_character(text_, position_));
  return take(TokenKind::kOperator, 1);
}

}  // namespace lipkin
