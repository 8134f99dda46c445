#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "lipkin/error.hpp"
#include "record/mcap.hpp"

namespace lipkin {

namespace {

constexpr std::array<std::uint32_t, 256> crc_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t x = i;
    for (int k = 0; k < 8; ++k) x = (x >> 1) ^ ((x & 1) ? 0xEDB88320u : 0u);
    table[i] = x;
  }
  return table;
}

template <class T>
void put(std::string& bytes, T value) {
  for (std::size_t k = 0; k < sizeof(T); ++k)
    bytes += static_cast<char>(static_cast<unsigned char>(static_cast<std::uint64_t>(value) >> (8 * k)));
}

void put_text(std::string& bytes, std::string_view text) {
  put(bytes, static_cast<std::uint32_t>(text.size()));
  bytes += text;
}

void put_record(std::string& bytes, McapRecord kind, std::string_view content) {
  put(bytes, static_cast<std::uint8_t>(kind));
  put(bytes, static_cast<std::uint64_t>(content.size()));
  bytes += content;
}

std::string record(McapRecord kind, std::string_view content) {
  std::string bytes;
  put_record(bytes, kind, content);
  return bytes;
}

std::string map_bytes(const std::vector<std::pair<std::string, std::string>>& values) {
  std::string entries, bytes;
  for (const auto& [key, value] : values) put_text(entries, key), put_text(entries, value);
  put_text(bytes, entries);
  return bytes;
}

}  // namespace

std::uint32_t crc32(std::string_view bytes, std::uint32_t before) {
  static constexpr std::array<std::uint32_t, 256> kTable = crc_table();
  std::uint32_t crc = ~before;
  for (const char c : bytes) crc = (crc >> 8) ^ kTable[(crc ^ static_cast<unsigned char>(c)) & 255];
  return ~crc;
}

McapWriter::McapWriter(const std::filesystem::path& path, const std::string& library) : path_(path) {
  file_ = std::fopen(path.c_str(), "wbe");
  if (!file_) throw InputError({path.string()}, fmt::format("cannot be written: {}", std::strerror(errno)));
  std::setvbuf(file_, nullptr, _IONBF, 0);  // what write() is given is out of the program when it returns
  std::string header;
  put_text(header, "");
  put_text(header, library);
  write(std::string(kMcapMagic) + record(McapRecord::kHeader, header));
}

McapWriter::~McapWriter() {
  if (file_) std::fclose(file_);
}

void McapWriter::write(std::string_view bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size())
    throw Error(fmt::format("{}: cannot be written: {}", path_.string(), std::strerror(errno)));
  offset_ += bytes.size();
}

void McapWriter::add_metadata(const std::string& name, const std::vector<std::pair<std::string, std::string>>& values) {
  std::string content;
  put_text(content, name);
  content += map_bytes(values);
  const std::string bytes = record(McapRecord::kMetadata, content);
  metadata_.push_back({offset_, bytes.size(), 0, name, ""});
  write(bytes);
}

void McapWriter::add_attachment(const std::string& name, const std::string& media_type, std::string_view data) {
  std::string content;
  put(content, std::uint64_t{0});  // log time
  put(content, std::uint64_t{0});  // create time
  put_text(content, name);
  put_text(content, media_type);
  put(content, static_cast<std::uint64_t>(data.size()));
  content += data;
  put(content, crc32(content));
  const std::string bytes = record(McapRecord::kAttachment, content);
  attachments_.push_back({offset_, bytes.size(), data.size(), name, media_type});
  write(bytes);
}

std::uint16_t McapWriter::add_channel(const std::string& topic, const std::string& schema_name,
                                      const std::string& schema) {
  const std::uint16_t id = ++channel_count_;  // 0 is no channel
  std::string content, schema_record, channel_record;
  put(content, id);
  put_text(content, schema_name);
  put_text(content, "jsonschema");
  put_text(content, schema);
  put_record(schema_record, McapRecord::kSchema, content);
  content.clear();
  put(content, id);
  put(content, id);
  put_text(content, topic);
  put_text(content, "json");
  content += map_bytes({});
  put_record(channel_record, McapRecord::kChannel, content);
  schemas_ += schema_record;
  channels_ += channel_record;
  chunk_ += schema_record + channel_record;
  message_counts_.push_back(0);
  return id;
}

void McapWriter::add_message(std::uint16_t channel, std::uint64_t time, std::string_view data) {
  if (chunk_index_.empty()) chunk_begin_ = chunk_end_ = time;
  chunk_begin_ = std::min(chunk_begin_, time);
  chunk_end_ = std::max(chunk_end_, time);
  chunk_index_[channel].emplace_back(time, chunk_.size());
  scratch_.clear();
  put(scratch_, channel);
  put(scratch_, static_cast<std::uint32_t>(message_counts_[channel - 1]++));
  put(scratch_, time);
  put(scratch_, time);
  scratch_ += data;
  put_record(chunk_, McapRecord::kMessage, scratch_);
}

void McapWriter::flush() {
  if (chunk_.empty()) return;
  std::string content;
  put(content, chunk_begin_);
  put(content, chunk_end_);
  put(content, static_cast<std::uint64_t>(chunk_.size()));
  put(content, crc32(chunk_));
  put_text(content, "");  // not compressed
  put(content, static_cast<std::uint64_t>(chunk_.size()));
  content += chunk_;
  std::string bytes = record(McapRecord::kChunk, content);
  ChunkPlace place{chunk_begin_, chunk_end_, offset_, bytes.size(), 0, chunk_.size(), {}};
  for (const auto& [channel, entries] : chunk_index_) {
    place.index_offsets[channel] = offset_ + bytes.size();
    std::string index, list;
    put(index, channel);
    for (const auto& [time, at] : entries) put(list, time), put(list, at);
    put_text(index, list);
    put_record(bytes, McapRecord::kMessageIndex, index);
  }
  place.index_length = bytes.size() - place.length;
  write(bytes);
  chunks_.push_back(std::move(place));
  chunk_.clear();
  chunk_index_.clear();
}

void McapWriter::finish() {
  flush();
  std::string end;
  put(end, std::uint32_t{0});  // no checksum of the data section: chunks have theirs
  write(record(McapRecord::kDataEnd, end));

  const std::uint64_t summary_start = offset_;
  std::string summary, offsets;
  const auto group = [&](McapRecord kind, const std::string& records) {
    if (records.empty()) return;
    std::string content;
    put(content, static_cast<std::uint8_t>(kind));
    put(content, summary_start + summary.size());
    put(content, static_cast<std::uint64_t>(records.size()));
    put_record(offsets, McapRecord::kSummaryOffset, content);
    summary += records;
  };
  group(McapRecord::kSchema, schemas_);  // records of one kind stand together
  group(McapRecord::kChannel, channels_);
  std::string list;
  std::uint64_t begin = 0, last = 0, message_count = 0;
  for (const ChunkPlace& c : chunks_) {
    std::string content, map;
    for (const auto& [channel, offset] : c.index_offsets) put(map, channel), put(map, offset);
    put(content, c.begin), put(content, c.end), put(content, c.offset), put(content, c.length);
    put_text(content, map);
    put(content, c.index_length);
    put_text(content, "");
    put(content, c.size), put(content, c.size);
    put_record(list, McapRecord::kChunkIndex, content);
    begin = &c == chunks_.data() ? c.begin : std::min(begin, c.begin);
    last = std::max(last, c.end);
  }
  group(McapRecord::kChunkIndex, list);
  list.clear();
  for (const Place& a : attachments_) {
    std::string content;
    put(content, a.offset), put(content, a.length);
    put(content, std::uint64_t{0}), put(content, std::uint64_t{0});
    put(content, a.data_size);
    put_text(content, a.name), put_text(content, a.media_type);
    put_record(list, McapRecord::kAttachmentIndex, content);
  }
  group(McapRecord::kAttachmentIndex, list);
  list.clear();
  for (const Place& m : metadata_) {
    std::string content;
    put(content, m.offset), put(content, m.length);
    put_text(content, m.name);
    put_record(list, McapRecord::kMetadataIndex, content);
  }
  group(McapRecord::kMetadataIndex, list);
  std::string counts, statistics;
  for (std::size_t i = 0; i < message_counts_.size(); ++i) {
    put(counts, static_cast<std::uint16_t>(i + 1)), put(counts, message_counts_[i]);
    message_count += message_counts_[i];
  }
  put(statistics, message_count);
  put(statistics, channel_count_);
  put(statistics, static_cast<std::uint32_t>(channel_count_));
  put(statistics, static_cast<std::uint32_t>(attachments_.size()));
  put(statistics, static_cast<std::uint32_t>(metadata_.size()));
  put(statistics, static_cast<std::uint32_t>(chunks_.size()));
  put(statistics, begin), put(statistics, last);
  put_text(statistics, counts);
  group(McapRecord::kStatistics, record(McapRecord::kStatistics, statistics));

  // The checksum covers everything from the summary's begin to the footer's own checksum.
  std::string footer;
  put(footer, static_cast<std::uint8_t>(McapRecord::kFooter));
  put(footer, std::uint64_t{20});
  put(footer, summary_start);
  put(footer, summary_start + summary.size());
  put(footer, crc32(footer, crc32(offsets, crc32(summary))));
  write(summary + offsets + footer + std::string(kMcapMagic));
  std::fclose(file_);
  file_ = nullptr;
}

}  // namespace lipkin
