#include "assembly/block_writer.hpp"

#include <algorithm>

#include "assembly/bilateral_rows.hpp"

namespace lipkin {

Block& BlockWriter::open(LawKind law, int row_count, std::initializer_list<int> links) {
  Block block;
  block.law = law;
  block.row_begin = static_cast<int>(problem_.b.size());
  block.row_count = row_count;
  block.run_begin = static_cast<int>(problem_.runs.size());
  part_count_ = 0;
  for (const int link : links) {
    if (link == 0 || part_of(link)) continue;
    const int cluster = eliminated_ ? layout_.cluster_of_link(link) : -1;
    parts_[part_count_++] = {link, block.width, cluster};
    if (cluster >= 0) {
      problem_.runs.push_back({layout_.cluster(cluster).begin, layout_.cluster(cluster).count});
      block.width += layout_.cluster(cluster).count;
    } else {
      problem_.runs.insert(problem_.runs.end(), layout_.path_begin(link), layout_.path_end(link));
      block.width += layout_.path_width(link);
    }
  }
  block.run_count = static_cast<int>(problem_.runs.size()) - block.run_begin;
  block.y_begin = problem_.y.size();
  problem_.y.resize(problem_.y.size() + static_cast<std::size_t>(row_count) * static_cast<std::size_t>(block.width));
  problem_.b.resize(problem_.b.size() + row_count, 0.0);
  problem_.compliance.resize(problem_.b.size(), 0.0);
  problem_.lambda.resize(problem_.b.size(), 0.0);
  problem_.blocks.push_back(block);
  return problem_.blocks.back();
}

// The part that holds a link: its own, or that of another link of its cluster.
const BlockWriter::Part* BlockWriter::part_of(int link) const {
  const int cluster = eliminated_ ? layout_.cluster_of_link(link) : -1;
  for (int i = 0; i < part_count_; ++i)
    if (parts_[i].link == link || (cluster >= 0 && parts_[i].cluster == cluster)) return parts_ + i;
  return nullptr;
}

void BlockWriter::add_side(const double* f, int lanes, int count, int link) {
  if (link == 0) return;
  const Part* part = part_of(link);
  const Block& block = problem_.blocks.back();
  whitener_.add(model_, work_, f, lanes, count, link, part->cluster >= 0, block.width,
                problem_.y.data() + block.y_begin + part->column);
}

void BlockWriter::add(const DofRow& row, double impulse) {
  if (row.dof().closure < 0) {
    const Part* part = part_of(layout_.link_of_dof(row.dof().u_index));
    whitener_.add_joint(model_, work_, row.dof().u_index, impulse, part->cluster >= 0,
                        problem_.y.data() + problem_.blocks.back().y_begin + part->column);
    return;
  }
  SpatialRows rows = row.rows();
  for (double& f : rows.f_a) f *= impulse;
  for (double& f : rows.f_b) f *= impulse;
  add(rows);
}

void BlockWriter::close() {
  const Block& block = problem_.blocks.back();
  if (whole_) {
    whole_->resize(problem_.y.size());
    std::copy(problem_.y.begin() + static_cast<std::ptrdiff_t>(block.y_begin), problem_.y.end(),
              whole_->begin() + static_cast<std::ptrdiff_t>(block.y_begin));
  }
  for (int i = 0; i < part_count_; ++i) {
    if (parts_[i].cluster < 0) continue;
    double* y = problem_.y.data() + block.y_begin + parts_[i].column;
    for (int row = 0; row < block.row_count; ++row) eliminated_->project_out(parts_[i].cluster, y + row * block.width);
  }
}

}  // namespace lipkin
