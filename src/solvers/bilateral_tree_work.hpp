// What a BilateralTree keeps, as its kernels see it.
#pragma once

namespace lipkin {

// A node is six values of z beside each other (a free body), padded to kTreeLane. Its edge leads to the parent.
inline constexpr int kTreeNode = 6, kTreeLane = 8;
inline constexpr int kTreeMatrix = kTreeNode * kTreeLane;  // six rows, each padded

struct BilateralTreeNode {
  int parent = -1;        // comes before its children; -1: what does not move, or nothing
  int column = 0;         // of its first value in z
  int rows = 0;           // of the edge
  int first_row = 0;      // into edge_rows
  int reduced_begin = 0;  // its 6 - rows values in the reduced z
};

struct BilateralTreeRow {
  int row = 0;                       // into right-hand sides and impulses
  int child_at = 0, parent_at = -1;  // into Y; -1: it pushes nothing that moves
};

// Per node six rows of kTreeLane, as the kernel file defines them. Arrays belong to BilateralTree.
struct BilateralTreeWork {
  double rank_tolerance = 1e-11;  // of what remains of a row's square, relative to the square
  int node_count = 0;
  const BilateralTreeNode* nodes = nullptr;
  const BilateralTreeRow* edge_rows = nullptr;
  const double* Y = nullptr;  // rows as they came, kTreeLane values per node
  double* T = nullptr;        // before a node's turn: the D that its children have added to
  double* Tt = nullptr;       // T transposed
  double* K = nullptr;
  double* Kt = nullptr;
  double* R_inverse = nullptr;
  double* at_node = nullptr;  // kTreeLane per node: -psi or psi, then z; see each kernel
  double* sent = nullptr;     // kTreeLane per node, scratch
  double* pull = nullptr;     // kTreeLane per node, scratch
};

}  // namespace lipkin
