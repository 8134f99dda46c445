#include "io/xml/xml_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <string_view>

#include "io/text_file.hpp"

namespace lipkin {
namespace {

int line_at(std::string_view text, std::size_t offset) {
  return 1 + static_cast<int>(std::count(
                 text.begin(), text.begin() + static_cast<std::ptrdiff_t>(std::min(offset, text.size())), '\n'));
}

// CR and CR LF become LF, so that lines are counted as an editor does.
std::string with_unix_line_ends(std::string text) {
  if (text.find('\r') == std::string::npos) return text;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_return = text[i] == '\r';
    if (is_return && i + 1 < text.size() && text[i + 1] == '\n') continue;
    text[kept++] = is_return ? '\n' : text[i];
  }
  text.resize(kept);
  return text;
}

std::string upper(std::string text) {
  for (char& c : text)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return text;
}

// The value of encoding="..." in the XML declaration, in capitals; empty: none.
std::string declared_encoding(std::string_view text) {
  constexpr std::size_t kFarthest = 1000;
  const std::string_view start = text.substr(0, std::min(text.size(), kFarthest));
  const std::size_t begin = start.find("<?xml");
  const std::size_t end = start.find("?>");
  if (begin == std::string_view::npos || end == std::string_view::npos || end < begin) return {};
  const std::string_view declaration = start.substr(begin, end - begin);
  const std::size_t key = declaration.find("encoding");
  if (key == std::string_view::npos) return {};
  const std::size_t open = declaration.find_first_of("\"'", key);
  if (open == std::string_view::npos) return {};
  const std::size_t close = declaration.find(declaration[open], open + 1);
  if (close == std::string_view::npos) return {};
  return upper(std::string(declaration.substr(open + 1, close - open - 1)));
}

std::string from_latin1(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      text += c;
    } else {
      text += static_cast<char>(0xC0 | (byte >> 6));
      text += static_cast<char>(0x80 | (byte & 0x3F));
    }
  }
  return text;
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t' && c != '\r'; }

// Comments in other encodings are common in files that call themselves UTF-8.
std::string with_valid_utf8(std::string bytes, const std::string& shown_name, DiagnosticList& diagnostics) {
  const auto is_plain = [](char c) { return static_cast<signed char>(c) >= 0x20 || c == '\n' || c == '\t'; };
  if (std::all_of(bytes.begin(), bytes.end(), is_plain)) return bytes;
  constexpr const char* kReplacement = "\xEF\xBF\xBD";
  std::string text;
  text.reserve(bytes.size());
  bool warned = false;
  for (std::size_t i = 0; i < bytes.size();) {
    const std::size_t length = is_control(bytes[i]) ? 0 : utf8_length(std::string_view(bytes).substr(i));
    if (length > 0) {
      text.append(bytes, i, length);
      i += length;
      continue;
    }
    if (!warned)
      diagnostics.warning({shown_name, line_at(bytes, i), 0}, "bytes that are no UTF-8 text are replaced from here on",
                          "save the file as UTF-8");
    warned = true;
    text += kReplacement;
    ++i;
  }
  return text;
}

bool is_utf16(std::string_view bytes) {
  return bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF") ||
         bytes.starts_with(std::string_view("<\0", 2)) || bytes.starts_with(std::string_view("\0<", 2));
}

// Tags are counted and document types refused before a tree is built. Comments are skipped; a '<' within an attribute
// or CDATA counts too, which the limits have room for.
void check_tags(std::string_view text, const std::string& shown_name) {
  std::size_t count = 0, depth = 0;
  for (std::size_t i = text.find('<'); i != std::string_view::npos; i = text.find('<', i + 1)) {
    const std::string_view rest = text.substr(i);
    if (rest.starts_with("<!--")) {
      i = text.find("-->", i + 4);
      if (i == std::string_view::npos) return;  // the parser says what is wrong
      continue;
    }
    const std::string start = rest.starts_with("<!") ? upper(std::string(rest.substr(0, 14))) : "";
    if (start == "<!DOCTYPE HTML")
      throw InputError({shown_name, line_at(text, i), 0}, "this is an HTML page, root element <html>: expected a model",
                       "was an error page saved instead of the model?");
    if (start.starts_with("<!DOCTYPE"))
      throw InputError({shown_name, line_at(text, i), 0},
                       "a DOCTYPE is not accepted, and neither are the entities it may define", "remove it");
    const std::string_view tag = rest.substr(0, rest.find('<', 1));
    if (static_cast<std::size_t>(std::count(tag.begin(), tag.end(), '=')) > kMaxXmlAttributes)
      throw InputError({shown_name, line_at(text, i), 0},
                       fmt::format("an element has more than {} attributes, which is the limit", kMaxXmlAttributes));
    const bool ends = rest.starts_with("</");
    const bool stays_open = !ends && !rest.starts_with("<?") && tag.find("/>") == std::string_view::npos;
    depth = ends ? depth - std::min<std::size_t>(depth, 1) : depth + (stays_open ? 1 : 0);
    if (depth > kHopelessXmlDepth) throw InputError({shown_name, line_at(text, i), 0}, too_deep_message());
    if (!ends && ++count > kMaxXmlElements)
      throw InputError({shown_name, line_at(text, i), 0},
                       fmt::format("the file has more than {} elements, which is the limit", kMaxXmlElements));
  }
}

}  // namespace

std::string too_deep_message() {
  return fmt::format("elements are nested too deep: {} levels is the limit", kMaxXmlDepth);
}

std::string read_xml_bytes(const std::filesystem::path& path, const std::string& shown_name) {
  return read_file_bytes(path, shown_name, kMaxXmlBytes);
}

std::string decode_xml(std::string bytes, const std::string& shown_name, DiagnosticList& diagnostics) {
  if (is_utf16(bytes)) throw InputError({shown_name}, "the file is UTF-16, which is not supported", "save it as UTF-8");
  if (const std::size_t nul = bytes.find('\0'); nul != std::string::npos)
    throw InputError({shown_name, line_at(bytes, nul), 0},
                     fmt::format("a NUL byte in line {}: not a text file", line_at(bytes, nul)));
  check_tags(bytes, shown_name);
  const std::string encoding = declared_encoding(bytes);
  std::string text = with_unix_line_ends(std::move(bytes));
  if (encoding == "ISO-8859-1" || encoding == "LATIN1" || encoding == "LATIN-1") {
    diagnostics.warning({shown_name, 1, 0}, fmt::format("the file says it is {}; read as such", encoding));
    text = from_latin1(text);
  } else if (encoding.empty() || encoding == "UTF-8" || encoding == "UTF8" || encoding == "US-ASCII" ||
             encoding == "ASCII") {
    text = with_valid_utf8(std::move(text), shown_name, diagnostics);
  } else {
    throw InputError({shown_name, 1, 0}, fmt::format("the encoding {} is not supported", encoding.substr(0, 40)),
                     "save the file as UTF-8");
  }
  return text;
}

}  // namespace lipkin
