// Recordings as files: the layout against the specification's own words, and what is left when a writer stops.
#include "record/mcap.hpp"

#include <gtest/gtest.h>
#include <cstring>
#include <fstream>
#include <iterator>

#include "base/temporary_folder.hpp"
#include "lipkin/error.hpp"

namespace lipkin {
namespace {

class Mcap : public ::testing::Test {
 protected:
  std::string bytes() const {
    std::ifstream in(file_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void put(const std::string& bytes) const { std::ofstream(file_, std::ios::binary) << bytes; }

  TemporaryFolder folder_;
  std::filesystem::path file_ = folder_.path() / "r.mcap";
};

void write_three(McapWriter& writer) {
  writer.add_metadata("about", {{"a", "1"}, {"b", "two"}});
  writer.add_attachment("scene/x.yaml", "application/yaml", "lipkin: 1\n");
  const std::uint16_t first = writer.add_channel("/a", "A", "{}"), second = writer.add_channel("/b", "B", "{}");
  writer.add_message(first, 10, "{\"x\":1}");
  writer.flush();
  writer.add_message(second, 20, "{\"y\":2}");
  writer.add_message(first, 30, "{\"x\":3}");
  writer.flush();
}

// The value that every CRC-32 of this polynomial has for these digits.
TEST_F(Mcap, ChecksumIsTheCommonOne) {
  EXPECT_EQ(crc32("123456789"), 0xCBF43926u);
  EXPECT_EQ(crc32("6789", crc32("12345")), 0xCBF43926u);
}

TEST_F(Mcap, ReadsWhatWasWritten) {
  McapWriter writer(file_, "test");
  write_three(writer);
  writer.finish();
  const McapFile file = read_mcap(file_);
  EXPECT_TRUE(file.complete);
  EXPECT_EQ(file.metadata.at("about").at("b"), "two");
  EXPECT_EQ(file.attachments.at("scene/x.yaml"), "lipkin: 1\n");
  ASSERT_EQ(file.messages.size(), 3u);
  EXPECT_EQ(file.messages[1].topic, "/b");
  EXPECT_EQ(file.messages[2].data, "{\"x\":3}");
  EXPECT_EQ(file.messages[2].time, 30u);
}

// Magic at both ends; a footer of 20 bytes before the last one, whose summary lies where it says.
TEST_F(Mcap, EndsAsTheSpecificationSays) {
  McapWriter writer(file_, "test");
  write_three(writer);
  writer.finish();
  const std::string all = bytes();
  const std::string magic("\x89MCAP0\r\n", 8);
  EXPECT_EQ(all.substr(0, 8), magic);
  EXPECT_EQ(all.substr(all.size() - 8), magic);
  const std::size_t footer = all.size() - 8 - 29;
  EXPECT_EQ(all[footer], 2);
  std::uint64_t length = 0, summary = 0;
  std::memcpy(&length, all.data() + footer + 1, 8);
  std::memcpy(&summary, all.data() + footer + 9, 8);
  EXPECT_EQ(length, 20u);
  ASSERT_LT(summary, footer);
  EXPECT_EQ(all[summary], 3);  // a schema begins it
  std::uint32_t crc = 0;
  std::memcpy(&crc, all.data() + footer + 25, 4);
  EXPECT_EQ(crc, crc32(std::string_view(all).substr(summary, footer + 25 - summary)));
}

TEST_F(Mcap, WhereverItIsCutTheChunksBeforeAreRead) {
  {
    McapWriter writer(file_, "test");
    write_three(writer);
  }
  const std::string all = bytes();
  std::size_t most = 0;
  for (std::size_t size = 8; size <= all.size(); ++size) {
    put(all.substr(0, size));
    const McapFile file = read_mcap(file_);
    EXPECT_FALSE(file.complete);
    EXPECT_GE(file.messages.size(), most);  // more bytes, never fewer messages
    most = file.messages.size();
  }
  EXPECT_EQ(most, 3u);
}

TEST_F(Mcap, DamageIsFound) {
  {
    McapWriter writer(file_, "test");
    write_three(writer);
  }
  std::string all = bytes();
  const std::size_t place = all.find("{\"y\":2}");
  ASSERT_NE(place, std::string::npos);
  all[place + 5] = '7';
  put(all);
  EXPECT_THROW(read_mcap(file_), InputError);
  put("something else");
  EXPECT_THROW(read_mcap(file_), InputError);
  EXPECT_THROW(read_mcap(folder_.path() / "none"), InputError);
}

}  // namespace
}  // namespace lipkin
