#include <fmt/format.h>

#include <fstream>
#include <sstream>

#include "lipkin/error.hpp"
#include "record/mcap.hpp"

namespace lipkin {

namespace {

constexpr std::uint64_t kMaxFileBytes = std::uint64_t{4} << 30;

// Bytes read from the front; `good` turns false where there are too few.
class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : rest_(bytes) {}

  bool good() const { return good_; }
  std::string_view rest() const { return rest_; }

  template <class T>
  T number() {
    if (rest_.size() < sizeof(T)) return fail(), T{};
    std::uint64_t value = 0;
    for (std::size_t k = 0; k < sizeof(T); ++k)
      value |= static_cast<std::uint64_t>(static_cast<unsigned char>(rest_[k])) << (8 * k);
    rest_.remove_prefix(sizeof(T));
    return static_cast<T>(value);
  }
  std::string_view bytes(std::uint64_t count) {
    if (count > rest_.size()) return fail(), std::string_view();
    const std::string_view result = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return result;
  }
  std::string text() { return std::string(bytes(number<std::uint32_t>())); }

 private:
  void fail() {
    good_ = false;
    rest_ = {};
  }
  std::string_view rest_;
  bool good_ = true;
};

class McapReader {
 public:
  explicit McapReader(const std::filesystem::path& path) : name_(path.string()) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) refuse("there is no such file");
    if (std::filesystem::file_size(path, error) > kMaxFileBytes) refuse("the file is larger than 4 GiB");
    std::ifstream in(path, std::ios::binary);
    std::ostringstream content;
    content << in.rdbuf();
    if (!in) refuse("the file cannot be read");
    content_ = std::move(content).str();
  }

  McapFile read() {
    if (!std::string_view(content_).starts_with(kMcapMagic)) refuse("this is no MCAP recording");
    Bytes bytes(std::string_view(content_).substr(kMcapMagic.size()));
    while (next_record(bytes)) {
    }
    return std::move(file_);
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const { throw InputError({name_}, why); }

  void require(bool condition, const char* what) const {
    if (!condition) refuse(fmt::format("the recording is damaged: {}", what));
  }

  // False at the end, or where the rest is no whole record.
  bool next_record(Bytes& bytes) {
    const auto kind = static_cast<McapRecord>(bytes.number<std::uint8_t>());
    const auto length = bytes.number<std::uint64_t>();
    if (!bytes.good() || length > bytes.rest().size()) return false;
    Bytes content(bytes.bytes(length));
    switch (kind) {
      case McapRecord::kChannel:
        read_channel(content);
        break;
      case McapRecord::kMessage:
        read_message(content);
        break;
      case McapRecord::kChunk:
        read_chunk(content);
        break;
      case McapRecord::kAttachment:
        read_attachment(content);
        break;
      case McapRecord::kMetadata:
        read_metadata(content);
        break;
      case McapRecord::kDataEnd:
        file_.complete = true;
        return false;  // what follows is the index
      default:
        break;
    }
    return true;
  }

  void read_channel(Bytes& content) {
    const auto id = content.number<std::uint16_t>();
    content.number<std::uint16_t>();
    channels_[id] = content.text();
    require(content.good(), "a channel is cut short");
  }

  void read_message(Bytes& content) {
    const auto channel = channels_.find(content.number<std::uint16_t>());
    content.number<std::uint32_t>();
    McapMessage message;
    message.time = content.number<std::uint64_t>();
    content.number<std::uint64_t>();
    require(content.good() && channel != channels_.end(), "a message without a channel");
    message.topic = channel->second;
    message.data = std::string(content.rest());
    file_.messages.push_back(std::move(message));
  }

  void read_chunk(Bytes& content) {
    content.number<std::uint64_t>(), content.number<std::uint64_t>(), content.number<std::uint64_t>();
    const auto crc = content.number<std::uint32_t>();
    const std::string compression = content.text();
    const std::string_view records = content.bytes(content.number<std::uint64_t>());
    require(content.good(), "a chunk is cut short");
    if (!compression.empty()) refuse(fmt::format("chunks compressed with {} are not read", compression));
    require(crc == 0 || crc == crc32(records), "the checksum of a chunk is wrong");
    Bytes inside(records);
    while (!inside.rest().empty()) require(next_record(inside), "a chunk holds half a record");
  }

  void read_attachment(Bytes& content) {
    const std::string_view all = content.rest();
    content.number<std::uint64_t>(), content.number<std::uint64_t>();
    const std::string name = content.text();
    content.text();
    const std::string_view data = content.bytes(content.number<std::uint64_t>());
    const auto crc = content.number<std::uint32_t>();
    require(content.good() && (crc == 0 || crc == crc32(all.substr(0, all.size() - 4))), "an attachment is wrong");
    file_.attachments[name] = std::string(data);
  }

  void read_metadata(Bytes& content) {
    auto& values = file_.metadata[content.text()];
    const std::string entries = content.text();
    require(content.good(), "metadata are cut short");
    Bytes inside(entries);
    while (!inside.rest().empty()) {
      const std::string key = inside.text();
      values[key] = inside.text();
      require(inside.good(), "metadata are cut short");
    }
  }

  std::string name_;
  std::string content_;
  std::map<std::uint16_t, std::string> channels_;
  McapFile file_;
};

}  // namespace

McapFile read_mcap(const std::filesystem::path& path) { return McapReader(path).read(); }

}  // namespace lipkin
