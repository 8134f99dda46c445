#include "cli/program.hpp"

namespace lipkin::test {
namespace {

const char* const kRecording = "t [s],x [m],y [m],w [rad/s]\n0,0,1,5\n0.5,1,0.5,nan\n1,2,-1e-3,7\n";

std::uint32_t big_endian(const std::string& bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

class PlotCommand : public ProgramTest {
 protected:
  void expect_refused(const std::string& csv, const std::string& part) {
    const Outcome outcome = lipkin({"plot", write("bad.csv", csv), "-o", path("o.svg")});
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_TRUE(is_one_line(outcome.err));
    EXPECT_TRUE(contains(outcome.err, part));
    EXPECT_FALSE(std::filesystem::exists(path("o.svg")));
  }
};

TEST_F(PlotCommand, SvgIsComplete) {
  const Outcome outcome = lipkin({"plot", write("r.csv", kRecording), "-o", path("o.svg")});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  const std::string svg = read_text(path("o.svg"));
  EXPECT_TRUE(svg.starts_with("<?xml"));
  EXPECT_TRUE(contains(svg, "<svg xmlns=\"http://www.w3.org/2000/svg\""));
  EXPECT_TRUE(contains(svg.substr(svg.size() - 10), "</svg>"));
}

TEST_F(PlotCommand, PngHasTheSizeAskedFor) {
  const Json json =
      lipkin({"plot", write("r.csv", kRecording), "-o", path("o.png"), "--size", "640x480", "--json"}).json();
  EXPECT_EQ(json["width"], 640);
  EXPECT_EQ(json["rows"], 3);
  EXPECT_EQ(json["columns"], (std::vector<std::string>{"x", "y", "w"}));
  const std::string png = read_text(path("o.png"));
  EXPECT_EQ(png.substr(0, 8), "\x89PNG\r\n\x1a\n");
  EXPECT_EQ(big_endian(png, 16), 640u);  // IHDR: width, then height
  EXPECT_EQ(big_endian(png, 20), 480u);
}

TEST_F(PlotCommand, PdfWorksToo) {
  EXPECT_EQ(lipkin({"plot", write("r.csv", kRecording), "-o", path("o.pdf")}).exit_code, 0);
  EXPECT_TRUE(read_text(path("o.pdf")).starts_with("%PDF"));
}

TEST_F(PlotCommand, ColumnsAndStyleAreChosen) {
  const std::string csv = write("r.csv", kRecording);
  const Json json = lipkin({"plot", csv, "-o", path("o.svg"), "--columns", "y,w", "--x", "x", "--title", "A title",
                            "--dark", "--no-grid", "--subplots", "one", "--json"})
                        .json();
  EXPECT_EQ(json["x"], "x");
  EXPECT_EQ(json["columns"], (std::vector<std::string>{"y", "w"}));
  EXPECT_EQ(lipkin({"plot", "--columns", "x", csv, "-o", path("o.svg")}).exit_code, 0);  // takes one word
  const Outcome misspelled = lipkin({"plot", csv, "-o", path("o.svg"), "--columns", "xx"});
  EXPECT_EQ(misspelled.exit_code, 2);
  EXPECT_TRUE(contains(misspelled.err, "t, x, y, w"));
  for (const char* size : {"640", "0x0", "640x", "axb", "10x10", "99999x99999"}) {
    EXPECT_EQ(lipkin({"plot", csv, "-o", path("p.svg"), "--size", size}).exit_code, 2) << size;
  }
  EXPECT_EQ(lipkin({"plot", csv, "-o", path("o.bmp")}).exit_code, 2);
}

TEST_F(PlotCommand, MalformedFilesAreRefusedWithTheLine) {
  expect_refused("", "bad.csv: error: is empty");
  expect_refused("t [s],x [m]\n", "no rows");
  expect_refused("t [s],x [m]\n0,1\n1\n", "bad.csv:3:");
  expect_refused("t [s],x [m]\n0,1\n1,2,3\n", "bad.csv:3:");
  expect_refused("t [s],x [m]\n0,1\n1,two\n", "bad.csv:3:3: error: 'two' is not a number");
  expect_refused("t [s],x [m]\n0,\n", "bad.csv:2:3");
  expect_refused("t [s],t [m]\n0,1\n", "two columns are named 't'");
  expect_refused("t;x\n0;1\n", "commas");
  expect_refused("t [s]\n0\n", "no column besides");
  const Outcome missing = lipkin({"plot", path("none.csv"), "-o", path("o.svg")});
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_TRUE(contains(missing.err, "none.csv: error: cannot be read: No such file"));
}

TEST_F(PlotCommand, RecordingOfARunIsDrawn) {
  lipkin({"run", write("p.yaml", kPendulum), "--csv", path("o.csv")});
  EXPECT_EQ(lipkin({"plot", path("o.csv"), "-o", path("o.svg")}).exit_code, 0);
}

}  // namespace
}  // namespace lipkin::test
