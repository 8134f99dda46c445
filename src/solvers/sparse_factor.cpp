#include "solvers/sparse_factor.hpp"

#include <algorithm>
#include <bit>

namespace lipkin {

void SparseFactor::analyze(const SparsePattern& pattern) {
  if (pattern.size == size_ && pattern.begin == pattern_.begin && pattern.columns == pattern_.columns) return;
  pattern_ = pattern;
  size_ = pattern.size;
  order();
  place_entries();
}

int SparseFactor::next_row() const {
  int best = -1;
  for (int i = 0; i < size_; ++i) {
    if (degree_[i] >= 0 && (best < 0 || degree_[i] < degree_[best])) best = i;
  }
  return best;
}

// The neighbours of an eliminated row become neighbours of each other; they are the pattern of its column of L.
void SparseFactor::eliminate(int row) {
  std::uint64_t* gone = neighbours_.data() + static_cast<std::size_t>(row) * words_;
  degree_[row] = -1;
  for (int w = 0; w < words_; ++w) {
    for (std::uint64_t bits = gone[w]; bits != 0; bits &= bits - 1) {
      const int other = 64 * w + std::countr_zero(bits);
      std::uint64_t* left = neighbours_.data() + static_cast<std::size_t>(other) * words_;
      int degree = 0;
      for (int v = 0; v < words_; ++v) {
        left[v] |= gone[v];
        if (v == other / 64) left[v] &= ~(1ull << (other % 64));
        if (v == row / 64) left[v] &= ~(1ull << (row % 64));
        degree += std::popcount(left[v]);
      }
      degree_[other] = degree;
    }
  }
}

void SparseFactor::order() {
  words_ = (size_ + 63) / 64;
  neighbours_.assign(static_cast<std::size_t>(size_) * static_cast<std::size_t>(words_), 0);
  const auto connect = [this](int i, int j) {
    neighbours_[static_cast<std::size_t>(i) * words_ + j / 64] |= 1ull << (j % 64);
  };
  degree_.assign(static_cast<std::size_t>(size_), 0);
  for (int i = 0; i < size_; ++i) {
    for (int k = pattern_.begin[i]; k < pattern_.begin[i + 1]; ++k) {
      const int j = pattern_.columns[k];
      connect(i, j);
      connect(j, i);
      ++degree_[i];
      ++degree_[j];
    }
  }
  row_at_.resize(static_cast<std::size_t>(size_));
  place_of_.resize(static_cast<std::size_t>(size_));
  for (int place = 0; place < size_; ++place) {
    const int row = next_row();
    row_at_[place] = row;
    place_of_[row] = place;
    eliminate(row);
  }
}

void SparseFactor::place_entries() {
  // L's columns are what eliminate() left of each row's neighbours.
  column_begin_.assign(static_cast<std::size_t>(size_) + 1, 0);
  row_begin_.assign(static_cast<std::size_t>(size_) + 2, 0);
  const auto each_below = [this](int place, auto&& visit) {
    const std::uint64_t* bits = neighbours_.data() + static_cast<std::size_t>(row_at_[place]) * words_;
    for (int w = 0; w < words_; ++w)
      for (std::uint64_t rest = bits[w]; rest != 0; rest &= rest - 1) visit(place_of_[64 * w + std::countr_zero(rest)]);
  };
  for (int place = 0; place < size_; ++place) {
    column_begin_[place + 1] = column_begin_[place];
    each_below(place, [&](int below) {
      ++column_begin_[place + 1];
      ++row_begin_[below + 2];
    });
  }
  for (int place = 0; place < size_; ++place) row_begin_[place + 2] += row_begin_[place + 1];
  row_pattern_.resize(static_cast<std::size_t>(column_begin_[size_]));
  for (int place = 0; place < size_; ++place)
    each_below(place, [&](int below) { row_pattern_[row_begin_[below + 1]++] = place; });

  entry_begin_.assign(static_cast<std::size_t>(size_) + 2, 0);
  const auto each_entry = [this](auto&& visit) {
    for (int i = 0; i < size_; ++i)
      for (int k = pattern_.begin[i]; k < pattern_.begin[i + 1]; ++k) {
        const int a = place_of_[i], b = place_of_[pattern_.columns[k]];
        visit(std::max(a, b), std::min(a, b), k);
      }
  };
  each_entry([&](int row, int, int) { ++entry_begin_[row + 2]; });
  for (int place = 0; place < size_; ++place) entry_begin_[place + 2] += entry_begin_[place + 1];
  entry_place_.resize(pattern_.columns.size());
  entry_value_.resize(pattern_.columns.size());
  each_entry([&](int row, int column, int k) {
    const int at = entry_begin_[row + 1]++;
    entry_place_[at] = column;
    entry_value_[at] = k;
  });
  column_count_.resize(static_cast<std::size_t>(size_));
  l_place_.resize(row_pattern_.size());
  l_value_.resize(row_pattern_.size());
  inverse_d_.resize(static_cast<std::size_t>(size_));
  work_.assign(static_cast<std::size_t>(size_), 0.0);
  x_.resize(static_cast<std::size_t>(size_));
}

void SparseFactor::factor(const double* values, const double* diagonal, const std::uint8_t* active, double tolerance) {
  std::fill(column_count_.begin(), column_count_.end(), 0);
  for (int k = 0; k < size_; ++k) {
    const int row = row_at_[k];
    inverse_d_[k] = 0;
    if (!active[row]) continue;
    for (int e = entry_begin_[k]; e < entry_begin_[k + 1]; ++e) work_[entry_place_[e]] = values[entry_value_[e]];
    double d = diagonal[row];
    for (int p = row_begin_[k]; p < row_begin_[k + 1]; ++p) {
      const int j = row_pattern_[p];
      const double y = work_[j];
      work_[j] = 0;
      if (inverse_d_[j] == 0 || y == 0) continue;
      const int begin = column_begin_[j], end = begin + column_count_[j];
      for (int q = begin; q < end; ++q) work_[l_place_[q]] -= l_value_[q] * y;
      const double l = y * inverse_d_[j];
      d -= l * y;
      l_place_[end] = k;
      l_value_[end] = l;
      ++column_count_[j];
    }
    // What a redundant row has put into the columns meets a right side of zero.
    inverse_d_[k] = d > tolerance * diagonal[row] ? 1 / d : 0;
  }
}

void SparseFactor::solve(double* x) const {
  for (int k = 0; k < size_; ++k) x_[k] = x[row_at_[k]];
  for (int k = 0; k < size_; ++k) {
    if (inverse_d_[k] == 0) continue;
    for (int q = column_begin_[k]; q < column_begin_[k] + column_count_[k]; ++q) x_[l_place_[q]] -= l_value_[q] * x_[k];
  }
  for (int k = size_ - 1; k >= 0; --k) {
    double sum = x_[k] * inverse_d_[k];
    if (inverse_d_[k] != 0) {
      for (int q = column_begin_[k]; q < column_begin_[k] + column_count_[k]; ++q) sum -= l_value_[q] * x_[l_place_[q]];
    }
    x_[k] = sum;
  }
  for (int k = 0; k < size_; ++k) x[row_at_[k]] = x_[k];
}

}  // namespace lipkin
