#include "steppers/implicit_contacts.hpp"

#include <algorithm>

#include "tree/mechanics.hpp"

namespace lipkin {

namespace {

// Of a pivot, relative to its diagonal; the shift 1/s keeps redundant contacts regular.
constexpr double kPivotTolerance = 1e-14;

std::vector<int> trees_of_links(const ModelData& model) {
  std::vector<int> tree(model.links.size(), 0);
  for (std::size_t i = 1; i < model.links.size(); ++i)
    tree[i] = model.links[i].parent == 0 ? static_cast<int>(i) : tree[model.links[i].parent];
  return tree;
}

// Calls `use(z, y)` for every number of row r of a block.
template <class Use>
void for_each_entry(const Problem& problem, const Block& block, int r, Use&& use) {
  const double* y = problem.y.data() + block.y_begin + static_cast<std::ptrdiff_t>(r) * block.width;
  for (int run = block.run_begin; run < block.run_begin + block.run_count; ++run) {
    for (int j = 0; j < problem.runs[run].length; ++j) use(problem.runs[run].begin + j, y[j]);
    y += problem.runs[run].length;
  }
}

Vec3<double> perpendicular(const Vec3<double>& n) {
  const Vec3<double> axis = std::abs(n[0]) < 0.6 ? Vec3<double>::unit(0) : Vec3<double>::unit(1);
  const Vec3<double> t = cross(n, axis);
  return (1 / norm(t)) * t;
}

}  // namespace

ImplicitContacts::ImplicitContacts(const ModelData& model)
    : layout_(model, {}),
      whitener_(model, layout_),
      work_(model),
      rows_of_tree_(model.links.size()),
      tree_of_link_(trees_of_links(model)),
      z_(layout_.z_count(), 0.0),
      du_(model.u_count, 0.0),
      V_(model.links.size()) {}

void ImplicitContacts::linearize(const ModelData& model, const State& state, std::span<const TouchingPoint> touching) {
  update_kinematics(model, state.q.data(), state.u.data(), work_.kinematics);
  work_.diag = model.armature;
  whitener_.factor(model, state.q.data(), work_);
  contacts_.clear();
  for (const TouchingPoint& t : touching) {
    Contact& c = contacts_.emplace_back();
    c.stiffness = std::max(t.normal.stiffness, 0.0);
    c.resistance[0] = t.normal.resistance, c.resistance[1] = t.along, c.resistance[2] = t.across;
    c.rows.clear(t.link_a, t.link_b);
    c.rows.add_linear(work_.kinematics, t.direction, t.point, t.point);
    if (t.across == 0) continue;
    const double slip = norm(t.slip);
    const Vec3<double> t1 = slip > 0 ? (1 / slip) * t.slip : perpendicular(t.direction);
    c.rows.add_linear(work_.kinematics, t1, t.point, t.point);
    c.rows.add_linear(work_.kinematics, cross(t.direction, t1), t.point, t.point);
  }
  write_rows(model);
  list_rows(model);
  build_matrix();
}

void ImplicitContacts::write_rows(const ModelData& model) {
  problem_.clear();
  problem_.z_count = layout_.z_count();
  BlockWriter writer(model, layout_, whitener_, nullptr, work_, problem_);
  for (const Contact& c : contacts_) {
    writer.open(LawKind::kContact, c.rows.count, {c.rows.link_a, c.rows.link_b});
    writer.add(c.rows);
    writer.close();
  }
}

void ImplicitContacts::list_rows(const ModelData& model) {
  for (const int tree : trees_in_use_) rows_of_tree_[tree].clear();
  trees_in_use_.clear();
  block_of_row_.clear();
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    const RowsBeside<4>& rows = contacts_[i].rows;
    const int a = tree_of_link_[rows.link_a], b = tree_of_link_[rows.link_b];
    for (int r = 0; r < rows.count; ++r) {
      const int row = static_cast<int>(block_of_row_.size());
      block_of_row_.push_back(static_cast<int>(i));
      for (const int tree : {a, b}) {
        if (tree == 0 || (tree == b && a == b && !rows_of_tree_[tree].empty() && rows_of_tree_[tree].back() == row))
          continue;
        if (rows_of_tree_[tree].empty()) trees_in_use_.push_back(tree);
        rows_of_tree_[tree].push_back(row);
      }
    }
  }
  V_.resize(model.links.size());
}

void ImplicitContacts::build_matrix() {
  const int count = static_cast<int>(block_of_row_.size());
  pattern_.size = count;
  pattern_.begin.assign(1, 0);
  pattern_.columns.clear();
  values_.clear();
  diagonal_.resize(count);
  for (int i = 0; i < count; ++i) {
    const Block& mine = problem_.blocks[block_of_row_[i]];
    const RowsBeside<4>& rows = contacts_[block_of_row_[i]].rows;
    neighbours_.clear();
    for (const int link : {rows.link_a, rows.link_b})
      for (const int j : rows_of_tree_[tree_of_link_[link]]) {
        if (j >= i) break;
        neighbours_.push_back(j);
      }
    std::sort(neighbours_.begin(), neighbours_.end());
    neighbours_.erase(std::unique(neighbours_.begin(), neighbours_.end()), neighbours_.end());
    for_each_entry(problem_, mine, i - mine.row_begin, [&](int z, double y) { z_[z] += y; });
    const auto product_with = [&](int j) {
      const Block& other = problem_.blocks[block_of_row_[j]];
      double sum = 0;
      for_each_entry(problem_, other, j - other.row_begin, [&](int z, double y) { sum += z_[z] * y; });
      return sum;
    };
    for (const int j : neighbours_) {
      pattern_.columns.push_back(j);
      values_.push_back(product_with(j));
    }
    diagonal_[i] = product_with(i);
    for_each_entry(problem_, mine, i - mine.row_begin, [&](int z, double) { z_[z] = 0; });
    pattern_.begin.push_back(static_cast<int>(values_.size()));
  }
  factor_.analyze(pattern_);
}

void ImplicitContacts::factor(double gamma) {
  gamma_ = gamma;
  const std::size_t count = block_of_row_.size();
  shifted_.resize(count);
  spring_part_.resize(count);
  active_.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    const Contact& c = contacts_[block_of_row_[i]];
    const int r = static_cast<int>(i) - problem_.blocks[block_of_row_[i]].row_begin;
    const double spring = r == 0 ? gamma * c.stiffness : 0;
    const double s = gamma * c.resistance[r] + gamma * spring;
    active_[i] = s > 0;
    shifted_[i] = diagonal_[i] + (s > 0 ? 1 / s : 0);
    spring_part_[i] = s > 0 ? spring / s : 0;
  }
  factor_.factor(values_.data(), shifted_.data(), active_.data(), kPivotTolerance);
}

void ImplicitContacts::rates(const ModelData& model, const double* u, double* gamma) {
  kernels().link_velocities(model.links.data(), static_cast<int>(model.links.size()), work_.kinematics.X_WL.data(),
                            work_.kinematics.S_W.data(), u, V_.data());
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    const RowsBeside<4>& rows = contacts_[i].rows;
    double rate[4];
    rows.rates(V_[rows.link_a], V_[rows.link_b], rate);
    std::copy(rate, rate + rows.count, gamma + problem_.blocks[i].row_begin);
  }
}

void ImplicitContacts::solve(const ModelData& model, double* theta, double* u) {
  const std::size_t count = block_of_row_.size();
  if (count > 0) {
    lambda_.resize(count);
    rate_.resize(count);
    rates(model, theta, rate_.data());
    rates(model, u, lambda_.data());
    for (std::size_t i = 0; i < count; ++i) lambda_[i] += spring_part_[i] * rate_[i];
    factor_.solve(lambda_.data());
    std::fill(z_.begin(), z_.end(), 0.0);
    for (std::size_t i = 0; i < count; ++i) {
      const Block& block = problem_.blocks[block_of_row_[i]];
      for_each_entry(problem_, block, static_cast<int>(i) - block.row_begin,
                     [&](int z, double y) { z_[z] += y * lambda_[i]; });
    }
    whitener_.velocities(model, work_, z_.data(), du_.data());
    std::fill(z_.begin(), z_.end(), 0.0);
    for (int j = 0; j < model.u_count; ++j) u[j] -= du_[j];
  }
  for (int j = 0; j < model.u_count; ++j) theta[j] += gamma_ * u[j];
}

}  // namespace lipkin
