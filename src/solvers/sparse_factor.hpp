// LDLᵀ of a sparse symmetric positive semidefinite matrix of which any subset of rows may be switched off, for
// active-set methods: the ordering and the pattern are found once for all rows, and factor() takes what is active.
//
// Ordering: minimum degree on the elimination graph (Tinney and Walker's second scheme), kept as bits. Factorisation:
// up looking, row by row, as in Davis, Direct Methods for Sparse Linear Systems (SIAM 2006), chapter 4.
#pragma once

#include <cstdint>
#include <vector>

namespace lipkin {

// The lower triangle by rows: row i has the columns columns[begin[i]] .. columns[begin[i + 1] - 1], all below i and
// ascending.
struct SparsePattern {
  int size = 0;
  std::vector<int> begin, columns;
};

class SparseFactor {
 public:
  // Finds ordering and fill; does nothing where the pattern is the one it already has.
  void analyze(const SparsePattern& pattern);

  // values: as pattern.columns; diagonal and active: per row. Rows whose pivot falls below tolerance times their
  // diagonal are redundant: they are left out like rows that are not active.
  void factor(const double* values, const double* diagonal, const std::uint8_t* active, double tolerance);

  // x = A⁻¹ x over the rows factored; the others get zero.
  void solve(double* x) const;

  std::size_t fill() const { return row_pattern_.size(); }

 private:
  void order();
  void eliminate(int row);
  int next_row() const;
  void place_entries();

  SparsePattern pattern_;
  int size_ = 0, words_ = 0;
  std::vector<std::uint64_t> neighbours_;  // size x words: the elimination graph
  std::vector<int> degree_;                // -1: eliminated
  std::vector<int> row_at_, place_of_;     // ordering and its inverse
  // By place: entries of the matrix left of the diagonal, and the pattern of L's rows, ascending.
  std::vector<int> entry_begin_, entry_place_, entry_value_, row_begin_, row_pattern_;
  // Columns of L as they fill up.
  std::vector<int> column_begin_, column_count_, l_place_;
  std::vector<double> l_value_, inverse_d_, work_;
  mutable std::vector<double> x_;
};

}  // namespace lipkin
