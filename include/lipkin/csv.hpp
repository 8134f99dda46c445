// Recorded traces as comma-separated values: one header line with units, numbers that read back to the same bits.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace lipkin {

// A named quantity over the rows of a recording.
struct Trace {
  std::string name;
  std::string unit;  // empty: without a unit
  std::vector<double> values;

  // "name [unit]", or the name alone.
  std::string label() const;
};

// Reads a file whose first line names the columns, as "t [s],tip_x [m]". Path "-" is standard input. Throws InputError
// with every mistake found (the first ten), each with file, line and column.
std::vector<Trace> read_csv(const std::filesystem::path& path);

// Writes a file row by row under a temporary name beside it; it gets its own name when it is complete.
class CsvWriter {
 public:
  // Writes the header line from names and units; the values are not looked at. Path "-" is standard output. Throws
  // InputError when the file cannot be created.
  CsvWriter(const std::filesystem::path& path, std::span<const Trace> traces);
  // Without finish(), nothing is left behind.
  ~CsvWriter();
  CsvWriter(CsvWriter&&) noexcept;
  CsvWriter& operator=(CsvWriter&&) noexcept;

  // One value per trace; throws Error when the disk is full.
  void write_row(std::span<const double> values);

  // Gives the file its name, replacing an older one.
  void finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace lipkin
