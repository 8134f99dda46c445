#include "server/web_files.hpp"

#include <array>
#include <cstdlib>
#include <fstream>
#include <random>
#include <sstream>
#include <utility>

#include "base/source_folders.hpp"

namespace lipkin {

namespace {

constexpr std::uintmax_t kMaxFileBytes = 64u << 20;

constexpr std::array<std::pair<std::string_view, std::string_view>, 11> kTypes = {{
    {".html", "text/html; charset=utf-8"},
    {".js", "text/javascript; charset=utf-8"},
    {".css", "text/css; charset=utf-8"},
    {".svg", "image/svg+xml"},
    {".png", "image/png"},
    {".ico", "image/x-icon"},
    {".json", "application/json"},
    {".woff2", "font/woff2"},
    {".wasm", "application/wasm"},
    {".map", "application/json"},
    {".txt", "text/plain; charset=utf-8"},
}};

bool has_viewer(const std::filesystem::path& folder) {
  std::error_code ignored;
  return !folder.empty() && std::filesystem::is_regular_file(folder / "index.html", ignored);
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::optional<std::string> decoded(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      result += text[i];
      continue;
    }
    if (i + 2 >= text.size() || hex_digit(text[i + 1]) < 0 || hex_digit(text[i + 2]) < 0) return {};
    result += static_cast<char>(16 * hex_digit(text[i + 1]) + hex_digit(text[i + 2]));
    i += 2;
  }
  return result;
}

}  // namespace

std::filesystem::path find_viewer(const std::filesystem::path& given) {
  if (!given.empty()) return has_viewer(given) ? given : std::filesystem::path();
  std::error_code ignored;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", ignored);
  const char* variable = std::getenv("LIPKIN_VIEWER_DIR");
  for (const std::filesystem::path& folder :
       {std::filesystem::path(variable ? variable : ""), program.parent_path() / "../share/lipkin/viewer",
        std::filesystem::path(kSourceViewer)})
    if (has_viewer(folder)) return folder;
  return {};
}

std::optional<Target> parse_target(std::string_view target) {
  const std::size_t question = target.find('?');
  const std::optional<std::string> path = decoded(target.substr(0, question));
  if (!path || path->empty() || path->front() != '/') return {};
  for (const char c : *path)
    if (static_cast<unsigned char>(c) < 32 || c == '\\' || c == 127) return {};
  if (path->find("..") != std::string::npos || path->find("//") != std::string::npos) return {};
  return Target{*path, question == target.npos ? "" : std::string(target.substr(question + 1))};
}

std::string query_value(std::string_view query, std::string_view key) {
  while (!query.empty()) {
    const std::size_t end = query.find('&');
    const std::string_view item = query.substr(0, end);
    if (item.substr(0, key.size()) == key && item.size() > key.size() && item[key.size()] == '=')
      return std::string(item.substr(key.size() + 1));
    query = end == query.npos ? std::string_view() : query.substr(end + 1);
  }
  return {};
}

std::optional<WebFile> read_web_file(const std::filesystem::path& folder, const std::string& path) {
  const std::string name = path == "/" ? "/index.html" : path;
  const std::filesystem::path file = folder / name.substr(1);
  std::string_view type;
  for (const auto& [ending, known] : kTypes)
    if (file.extension() == ending) type = known;
  std::error_code error;
  const std::filesystem::path real = std::filesystem::canonical(file, error);
  if (type.empty() || error) return {};
  const std::filesystem::path root = std::filesystem::canonical(folder, error);
  const auto [outside, rest] = std::mismatch(root.begin(), root.end(), real.begin(), real.end());
  if (error || outside != root.end()) return {};  // a link that leads out of the folder
  if (!std::filesystem::is_regular_file(real, error) || std::filesystem::file_size(real, error) > kMaxFileBytes)
    return {};
  std::ifstream in(real, std::ios::binary);
  std::ostringstream content;
  content << in.rdbuf();
  if (!in) return {};
  return WebFile{std::string(type), std::move(content).str()};
}

std::string page_without_viewer() {
  return "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Lipkin</title>"
         "<style>body{font:16px/1.5 sans-serif;max-width:40em;margin:4em auto;padding:0 "
         "1em}code{background:#eee}</style>"
         "<h1>Lipkin is running, its viewer is not built</h1>"
         "<p>The simulation runs and its socket answers; the page that draws it is missing. "
         "<code>./lipkin build</code> builds it, with node and npm at hand; <code>lipkin view --viewer-dir DIR</code> "
         "or <code>LIPKIN_VIEWER_DIR</code> name a folder that has it.</p></html>";
}

bool same_secret(std::string_view a, std::string_view b) {
  unsigned char different = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < a.size(); ++i)
    different = static_cast<unsigned char>(different | (a[i] ^ (b.empty() ? 0 : b[i % b.size()])));
  return different == 0;
}

std::string new_token() {
  std::random_device random("/dev/urandom");
  std::string token;
  for (int i = 0; i < 4; ++i) {
    unsigned value = random();
    for (int k = 0; k < 8; ++k, value >>= 4) token += "0123456789abcdef"[value & 15];
  }
  return token;
}

}  // namespace lipkin
