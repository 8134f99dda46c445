// Recordings in MCAP, an append-only container of timestamped messages that other tools open.
//
// Source: MCAP Format Specification, mcap.dev/spec, version 0. A file is magic, records, magic; a record is an opcode,
// the length of its content (u64) and the content, all little-endian; a text is its length (u32) and its bytes.
// Messages lie in chunks without compression. A chunk is written with one call, so that whoever stops writing in the
// middle loses that chunk alone; the index at the end is for those who want to jump.
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lipkin {

enum class McapRecord : std::uint8_t {
  kHeader = 1,
  kFooter = 2,
  kSchema = 3,
  kChannel = 4,
  kMessage = 5,
  kChunk = 6,
  kMessageIndex = 7,
  kChunkIndex = 8,
  kAttachment = 9,
  kAttachmentIndex = 10,
  kStatistics = 11,
  kMetadata = 12,
  kMetadataIndex = 13,
  kSummaryOffset = 14,
  kDataEnd = 15
};

inline constexpr std::string_view kMcapMagic = "\x89MCAP0\r\n";

// The checksum of zlib, PNG and MCAP (polynomial 0xEDB88320); continues from `before`.
std::uint32_t crc32(std::string_view bytes, std::uint32_t before = 0);

class McapWriter {
 public:
  // Creates or replaces the file. Throws InputError when it cannot be written.
  McapWriter(const std::filesystem::path& path, const std::string& library);
  ~McapWriter();  // without finish() the file has no index, and is read all the same
  McapWriter(const McapWriter&) = delete;
  McapWriter& operator=(const McapWriter&) = delete;

  // Written at once. Both throw Error when the disk is full.
  void add_metadata(const std::string& name, const std::vector<std::pair<std::string, std::string>>& values);
  void add_attachment(const std::string& name, const std::string& media_type, std::string_view data);

  // Messages are JSON; `schema` is a JSON Schema. Returns the channel.
  std::uint16_t add_channel(const std::string& topic, const std::string& schema_name, const std::string& schema);

  // Into the chunk under way; flush() writes it. Times in ns.
  void add_message(std::uint16_t channel, std::uint64_t time, std::string_view data);
  void flush();

  // The index and the end of the file.
  void finish();

 private:
  struct ChunkPlace {
    std::uint64_t begin = 0, end = 0;  // times [ns]
    std::uint64_t offset = 0, length = 0, index_length = 0, size = 0;
    std::map<std::uint16_t, std::uint64_t> index_offsets;
  };
  struct Place {
    std::uint64_t offset = 0, length = 0, data_size = 0;
    std::string name, media_type;
  };

  void write(std::string_view bytes);

  std::filesystem::path path_;
  std::FILE* file_ = nullptr;
  std::uint64_t offset_ = 0;
  std::string schemas_, channels_;  // their records, for the summary
  std::uint16_t channel_count_ = 0;
  std::vector<std::uint64_t> message_counts_;
  std::vector<ChunkPlace> chunks_;
  std::vector<Place> attachments_, metadata_;

  std::string chunk_, scratch_;
  std::uint64_t chunk_begin_ = 0, chunk_end_ = 0;  // times [ns]
  std::map<std::uint16_t, std::vector<std::pair<std::uint64_t, std::uint64_t>>> chunk_index_;
};

struct McapMessage {
  std::string topic;
  std::uint64_t time = 0;  // [ns]
  std::string data;
};

struct McapFile {
  std::map<std::string, std::map<std::string, std::string>> metadata;  // by name
  std::map<std::string, std::string> attachments;                      // by name
  std::vector<McapMessage> messages;                                   // in the order written
  bool complete = false;                                               // it was finished properly
};

// Reads as far as there are whole records. Throws InputError where it is no MCAP file, or is damaged in the middle.
McapFile read_mcap(const std::filesystem::path& path);

}  // namespace lipkin
