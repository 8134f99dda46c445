#include "constraints/block_writer.hpp"

#include <algorithm>
#include <numeric>

#include "constraints/bilateral_rows.hpp"
#include "solvers/sweep_block.hpp"

namespace lipkin {

// Where each link's part of a row begins; returns the row's width.
int BlockWriter::place_parts(std::span<const int> links, std::span<const int> more) {
  int width = 0;
  part_count_ = node_count_ = 0;
  int tree[2] = {0, 0}, link_count = 0;
  has_push_ = false;
  for (const auto& some : {links, more})
    for (const int link : some) {
      if (link == 0) continue;
      if (link_count < 2) tree[link_count] = layout_.tree_of_link(link);
      ++link_count;
      const int cluster = eliminated_ ? layout_.cluster_of_link(link) : -1;
      const bool reduced = cluster >= 0 && eliminated_->cluster(cluster).is_reduced();
      if (reduced) add_node(link, cluster);
      if (part_of(link)) continue;
      parts_[part_count_++] = {link, width, cluster, reduced};
      width += cluster >= 0 ? eliminated_->cluster(cluster).law_width() : layout_.path_width(link);
    }
  // What two links of one tree do to each other it may hold all the same.
  const bool gives_way = layout_.floats(tree[0]) || layout_.floats(tree[1]);
  checks_rounding_ = !gives_way || link_count > 2 || tree[0] == tree[1];
  return width;
}

Block& BlockWriter::open(LawKind law, int row_count, std::span<const int> links, std::span<const int> more) {
  Block block;
  block.law = law;
  block.row_begin = static_cast<int>(problem_.b.size());
  block.row_count = row_count;
  block.run_begin = static_cast<int>(problem_.runs.size());
  block.width = place_parts(links, more);
  for (int i = 0; i < part_count_; ++i) {
    if (parts_[i].cluster >= 0) {
      const BilateralCluster& cluster = eliminated_->cluster(parts_[i].cluster);
      problem_.runs.push_back({cluster.z().begin, cluster.law_width()});
    } else {
      problem_.runs.insert(problem_.runs.end(), layout_.path_begin(parts_[i].link), layout_.path_end(parts_[i].link));
    }
  }
  block.run_count = static_cast<int>(problem_.runs.size()) - block.run_begin;
  block.y_begin = problem_.y.size();
  problem_.y.resize(problem_.y.size() + static_cast<std::size_t>(row_count) * static_cast<std::size_t>(block.width));
  problem_.b.resize(problem_.b.size() + row_count, 0.0);
  problem_.compliance.resize(problem_.b.size(), 0.0);
  problem_.lambda.resize(problem_.b.size(), 0.0);
  block_ = static_cast<int>(problem_.blocks.size());
  problem_.blocks.push_back(block);
  clear_nodes();
  if (whole_) record_nodes();
  return problem_.blocks.back();
}

void BlockWriter::resume(int block, std::initializer_list<int> links) {
  if (block_ == block) return;
  block_ = block;
  place_parts(std::span(links.begin(), links.size()), {});
  clear_nodes();
}

void BlockWriter::add_node(int link, int cluster) {
  const auto same = [link](const Node& node) { return node.link == link; };
  if (std::none_of(nodes_, nodes_ + node_count_, same)) nodes_[node_count_++] = {link, cluster};
}

double* BlockWriter::rows_at_node(int link) {
  const auto same = [link](const Node& node) { return node.link == link; };
  const auto node = std::find_if(nodes_, nodes_ + node_count_, same) - nodes_;
  return psi_ + node * block().row_count * kTreeLane;
}

// The part that holds a link: its own, or that of another link of its cluster.
const BlockWriter::Part* BlockWriter::part_of(int link) const {
  const int cluster = eliminated_ ? layout_.cluster_of_link(link) : -1;
  for (int i = 0; i < part_count_; ++i)
    if (parts_[i].link == link || (cluster >= 0 && parts_[i].cluster == cluster)) return parts_ + i;
  return nullptr;
}

void BlockWriter::note_push(int row, double force2, double moment2) {
  if (!has_push_) {
    std::fill_n(force2_, kRowsPerBlock, 0.0);
    std::fill_n(moment2_, kRowsPerBlock, 0.0);
    has_push_ = true;
  }
  force2_[row] = std::max(force2_[row], force2);
  moment2_[row] = std::max(moment2_[row], moment2);
}

void BlockWriter::add_side(const double* f, int lanes, int count, int link) {
  if (link == 0) return;
  for (int r = 0; checks_rounding_ && r < count; ++r) {
    const double *n = f + r, *p = f + 3 * lanes + r;
    note_push(r, p[0] * p[0] + p[lanes] * p[lanes] + p[2 * lanes] * p[2 * lanes],
              n[0] * n[0] + n[lanes] * n[lanes] + n[2 * lanes] * n[2 * lanes]);
  }
  const Part* part = part_of(link);
  if (part->reduced) return whitener_.add(model_, work_, f, lanes, count, link, false, kTreeLane, rows_at_node(link));
  whitener_.add(model_, work_, f, lanes, count, link, part->cluster >= 0, block().width,
                problem_.y.data() + block().y_begin + part->column);
}

void BlockWriter::add(const DofRow& row, double impulse) {
  const auto place = [&](const Part* part, int link) {
    return part->reduced ? rows_at_node(link) : problem_.y.data() + block().y_begin + part->column;
  };
  const auto is_dense = [](const Part* part) { return part->cluster >= 0 && !part->reduced; };
  row.visit(
      [&](int u_index, double unit, int path) {
        const Part* part = part_of(path);
        whitener_.add_joint(model_, work_, u_index, impulse * unit, is_dense(part), place(part, path));
      },
      [&](int link, const Force<double>& unit, int path) {
        const Part* part = part_of(path);
        const Force<double> push = impulse * unit;
        note_push(0, dot(push.f, push.f), dot(push.n, push.n));
        whitener_.add(model_, work_, push, link, is_dense(part), place(part, path));
      });
}

void BlockWriter::close() {
  const Block& written = block();
  double* rows = problem_.y.data() + written.y_begin;
  if (checks_rounding_ && has_push_)
    for (int row = 0; row < written.row_count; ++row) clear_rounding(row);
  const auto on_cluster = [](const Part& part) { return part.cluster >= 0; };
  may_lose_ = std::any_of(parts_, parts_ + part_count_, on_cluster);
  if (!may_lose_ && !whole_) return;
  for (int row = 0; may_lose_ && row < written.row_count; ++row) {
    const double* y = rows + row * written.width;
    whole_squares_[row] = std::inner_product(y, y + written.width, y, square_at_nodes(row));
  }
  if (whole_) keep_nodes();
  for (int i = 0; i < part_count_; ++i)
    if (parts_[i].reduced) reduce_nodes(parts_[i]);
  if (whole_) std::copy_n(rows, written.row_count * written.width, whole_->y.data() + written.y_begin);
  for (int row = 0; may_lose_ && row < written.row_count; ++row)
    take_out_of(rows + row * written.width, written.width, whole_squares_[row]);
  if (whole_ && node_count_ > 0) keep_reduced();
}

// What the tree does not let move, likewise, before anything is taken out.
void BlockWriter::clear_rounding(int row) {
  const Block& written = block();
  double* y = problem_.y.data() + written.y_begin + static_cast<std::size_t>(row * written.width);
  if (std::inner_product(y, y + written.width, y, 0.0) < whitener_.least_square(force2_[row], moment2_[row]))
    std::fill_n(y, written.width, 0.0);
}

// What clusters do not let move is left with rounding, which must not be taken for a row; `before`: its square.
void BlockWriter::take_out_of(double* row, int width, double before) const {
  for (int i = 0; i < part_count_; ++i)
    if (parts_[i].cluster >= 0 && !parts_[i].reduced)
      eliminated_->cluster(parts_[i].cluster).project_out_row(row + parts_[i].column);
  if (std::inner_product(row, row + width, row, 0.0) < kDegenerateBelow * before) std::fill_n(row, width, 0.0);
}

double BlockWriter::square_at_nodes(int row) {
  double sum = 0;
  for (int i = 0; i < node_count_; ++i) {
    const double* psi = psi_ + (i * block().row_count + row) * kTreeLane;
    sum = std::inner_product(psi, psi + kTreeNode, psi, sum);
  }
  return sum;
}

// What the rows push the nodes of one cluster with becomes their reduced values.
void BlockWriter::reduce_nodes(const Part& part) {
  const Block& written = block();
  const int size = written.row_count * kTreeLane;
  int nodes[kMostParts], count = 0;
  double psi[kMostParts * kTreeLane];
  for (int i = 0; i < node_count_; ++i) {
    if (nodes_[i].cluster != part.cluster) continue;
    std::copy_n(psi_ + i * size, size, psi + count * size);
    nodes[count++] = eliminated_->cluster(part.cluster).reducer().place_of(eliminated_->node_of_link(nodes_[i].link));
  }
  eliminated_->cluster(part.cluster)
      .reducer()
      .reduce(nodes, count, psi, written.row_count, problem_.y.data() + written.y_begin + part.column, written.width);
}

// Room for what the whole rows push nodes with; other writers fill it.
void BlockWriter::record_nodes() {
  whole_->y.resize(problem_.y.size());
  whole_->first_node.push_back(static_cast<int>(whole_->nodes.size()));
  for (int i = 0; i < node_count_; ++i) {
    const int u = model_.links[nodes_[i].link].u_index;
    whole_->nodes.push_back({block_, layout_.z_of_dof()[u], whole_->values.size()});
    whole_->values.resize(whole_->values.size() + static_cast<std::size_t>(block().row_count * kTreeNode));
  }
}

void BlockWriter::keep_nodes() {
  const int rows = block().row_count;
  for (int i = 0; i < node_count_; ++i) {
    const WholeRows::Node& node = whole_->nodes[whole_->first_node[block_] + i];
    for (int r = 0; r < rows; ++r)
      std::copy_n(psi_ + (i * rows + r) * kTreeLane, kTreeNode,
                  whole_->values.begin() + static_cast<std::ptrdiff_t>(node.value_begin) + r * kTreeNode);
  }
}

// Reduced values have lost what the bilateral rows can do already.
void BlockWriter::keep_reduced() {
  const Block& written = block();
  for (int i = 0; i < part_count_; ++i) {
    if (!parts_[i].reduced) continue;
    const int width = eliminated_->cluster(parts_[i].cluster).law_width();
    for (int row = 0; row < written.row_count; ++row) {
      const auto at = static_cast<std::ptrdiff_t>(written.y_begin) + row * written.width + parts_[i].column;
      std::copy_n(problem_.y.begin() + at, width, whole_->y.begin() + at);
    }
  }
}

}  // namespace lipkin
