// The built viewer's files: what a request may name, and what is sent for it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace lipkin {

// The first folder with an index.html: given, $LIPKIN_VIEWER_DIR, beside the program, of the source tree. Empty: none.
std::filesystem::path find_viewer(const std::filesystem::path& given);

// The path and query of a request's target; none where it is not a path a browser would send: "..", a backslash,
// control characters, percent signs that do not decode.
struct Target {
  std::string path;
  std::string query;
};
std::optional<Target> parse_target(std::string_view target);

// The value of a key in a query, "token=abc&x=1"; empty where it is not there.
std::string query_value(std::string_view query, std::string_view key);

struct WebFile {
  std::string type;
  std::string content;
};

// A file of the viewer's folder with a known ending; never one outside of it.
std::optional<WebFile> read_web_file(const std::filesystem::path& folder, const std::string& path);

// What is shown where no viewer was built.
std::string page_without_viewer();

// Compares without telling by its time how much was right.
bool same_secret(std::string_view a, std::string_view b);

// 32 hexadecimal digits from the system's randomness.
std::string new_token();

}  // namespace lipkin
