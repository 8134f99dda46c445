// Plain text tables: the first column to the left, the others to the right.
#pragma once

#include <string>
#include <vector>

namespace lipkin::bench {

class Table {
 public:
  explicit Table(std::vector<std::string> header);

  // Missing cells at the end stay empty.
  void add_row(std::vector<std::string> cells);
  std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

// Whole nanoseconds from 100 on, three digits below.
std::string ns_text(double ns);

}  // namespace lipkin::bench
