#include "lipkin/csv.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <random>

#include "base/temporary_folder.hpp"
#include "lipkin/error.hpp"

namespace lipkin {
namespace {

namespace fs = std::filesystem;

class Csv : public ::testing::Test {
 protected:
  fs::path write(const std::string& text) const {
    std::ofstream(folder_ / "in.csv", std::ios::binary) << text;
    return folder_ / "in.csv";
  }
  std::string mistake(const std::string& text) const {
    try {
      read_csv(write(text));
    } catch (const InputError& error) {
      return error.what();
    }
    return "no mistake";
  }
  std::size_t file_count() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  const TemporaryFolder temporary_;
  const fs::path& folder_ = temporary_.path();
};

TEST_F(Csv, NumbersReadBackToTheSameBits) {
  std::mt19937_64 random(7);
  std::vector<double> values = {0,
                                -0.0,
                                0.1,
                                1.0 / 3,
                                1e300,
                                std::numeric_limits<double>::denorm_min(),
                                std::numeric_limits<double>::max(),
                                std::numeric_limits<double>::infinity(),
                                -std::numeric_limits<double>::infinity()};
  while (values.size() < 10000) {
    const double value = std::bit_cast<double>(random());
    if (std::isfinite(value)) values.push_back(value);
  }
  const std::vector<Trace> labels = {{"t", "s", {}}, {"plain", "", {}}, {"odd, \"name\"", "m/s\u00b2", {}}};
  CsvWriter writer(folder_ / "out.csv", labels);
  for (const double value : values) writer.write_row(std::vector<double>{value, -value, 2.5});
  writer.finish();
  const std::vector<Trace> traces = read_csv(folder_ / "out.csv");
  ASSERT_EQ(traces.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(traces[i].name, labels[i].name);
    EXPECT_EQ(traces[i].unit, labels[i].unit);
    ASSERT_EQ(traces[i].values.size(), values.size());
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(std::bit_cast<std::uint64_t>(traces[0].values[i]), std::bit_cast<std::uint64_t>(values[i]));
    EXPECT_EQ(std::bit_cast<std::uint64_t>(traces[1].values[i]), std::bit_cast<std::uint64_t>(-values[i]));
  }
}

// 0/0 has a sign on some processors.
TEST_F(Csv, WhatIsNoNumberHasNoSign) {
  const fs::path file = folder_ / "out.csv";
  CsvWriter writer(file, std::vector<Trace>{{"t", "s", {}}, {"x", "", {}}});
  writer.write_row(std::vector<double>{1, -std::nan("")});
  writer.finish();
  std::ifstream stream(file);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(stream), {}), "t [s],x\n1,nan\n");
}

TEST_F(Csv, FileAppearsWhenItIsComplete) {
  const fs::path target = folder_ / "out.csv";
  const std::vector<Trace> labels = {{"t", "s", {}}};
  {
    CsvWriter writer(target, labels);
    writer.write_row(std::vector<double>{1});
    EXPECT_FALSE(fs::exists(target));
  }
  EXPECT_EQ(file_count(), 0u);  // given up: nothing is left
  std::ofstream(target) << "older";
  CsvWriter writer(target, labels);
  writer.write_row(std::vector<double>{1});
  EXPECT_EQ(fs::file_size(target), 5u);
  writer.finish();
  EXPECT_EQ(read_csv(target)[0].values, std::vector<double>{1});
  EXPECT_EQ(file_count(), 1u);
}

TEST_F(Csv, RowOfTheWrongLengthIsRefused) {
  CsvWriter writer(folder_ / "out.csv", std::vector<Trace>{{"t", "s", {}}});
  EXPECT_THROW(writer.write_row(std::vector<double>{1, 2}), InvalidArgument);
}

TEST_F(Csv, FileThatCannotBeCreatedIsRefused) {
  EXPECT_THROW(CsvWriter(folder_ / "no" / "out.csv", {}), InputError);
  EXPECT_THROW(CsvWriter(folder_, {}), InputError);
}

TEST_F(Csv, ReadsWhatOtherProgramsWrite) {
  const auto traces = read_csv(write("\xEF\xBB\xBFtime [s] , \"x\" ,y[m]\r\n 0 ,+1.5, nan\r\n1e0,-.5,INF\r\n\r\n"));
  ASSERT_EQ(traces.size(), 3u);
  EXPECT_EQ(traces[0].name, "time");
  EXPECT_EQ(traces[0].unit, "s");
  EXPECT_EQ(traces[2].name, "y");
  EXPECT_EQ(traces[2].unit, "m");
  EXPECT_EQ(traces[1].values, (std::vector<double>{1.5, -0.5}));
  EXPECT_TRUE(std::isnan(traces[2].values[0]));
  EXPECT_TRUE(std::isinf(traces[2].values[1]));
}

TEST_F(Csv, MistakesAreToldWithTheirPlace) {
  EXPECT_NE(mistake("").find("is empty"), std::string::npos);
  EXPECT_NE(mistake("a,b\n1,2\n3,x\n").find("in.csv:3:3: error: 'x' is not a number, in column 'b'"),
            std::string::npos);
  EXPECT_NE(mistake("a,b\n1,2,3\n").find("in.csv:2:1: error: 3 values, expected 2"), std::string::npos);
  EXPECT_NE(mistake("1,2\n3,4\n").find("is a number where a column's name was expected"), std::string::npos);
  EXPECT_NE(mistake("a,,c\n1,2,3\n").find("column 2 has no name"), std::string::npos);
  EXPECT_NE(mistake(std::string("a\0b\n1\n", 6)).find("not a text file"), std::string::npos);
  EXPECT_NE(mistake("a\n1e999\n").find("'1e999' is not a number"), std::string::npos);
}

TEST_F(Csv, SeveralMistakesAreToldAtOnceButNotAMillion) {
  EXPECT_NE(mistake("a\nx\n1\ny\n").find("in.csv:4:"), std::string::npos);
  std::string text = "a\n";
  for (int i = 0; i < 1000; ++i) text += "x\n";
  const std::string lines = mistake(text);
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 9);  // ten lines
}

}  // namespace
}  // namespace lipkin
