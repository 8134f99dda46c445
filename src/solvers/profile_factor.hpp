// L U of a square matrix whose pattern is symmetric and that is filled only near its diagonal, without exchange of
// rows. Row i is kept from its first entry on, and so is column i above the diagonal: all fill stays within (Jennings,
// Matrix Computation for Engineers and Scientists, 1977).
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace lipkin {

class ProfileFactor {
 public:
  // Each row from its diagonal on.
  void start(int size);

  // Rows that the same block of columns fills begin with the block's first column.
  void fill_block(const int* columns, int count);

  // Products that factor() takes.
  double cost() const;

  // The unit matrix in the pattern.
  void reset();

  void add(int row, int column, double value) {
    if (column <= row) {
      lower_[begin_[row] + static_cast<std::size_t>(column - first_[row])] += value;
    } else {
      upper_[begin_[column] + static_cast<std::size_t>(row - first_[column])] += value;
    }
  }

  void factor();
  void solve(double* x) const;

 private:
  double* row(std::vector<double>& values, int i) const { return values.data() + begin_[i] - first_[i]; }
  const double* row(const std::vector<double>& values, int i) const { return values.data() + begin_[i] - first_[i]; }

  int size_ = 0;
  std::vector<int> first_;
  std::vector<std::size_t> begin_;
  std::vector<double> lower_, upper_;  // rows of L with its diagonal; columns of U, which has ones on it
};

}  // namespace lipkin
