#include "constraints/rotor_rows.hpp"

#include <algorithm>

#include "constraints/reaction_loads.hpp"

namespace lipkin {

RotorRows::RotorRows(const ModelData& model, const ZLayout& layout) : layout_(layout) {
  int z_count = 0;
  for (int c = 0; c < layout.cluster_count(); ++c)
    z_count = std::max(z_count, layout.cluster(c).begin + layout.cluster(c).count);
  if (z_count == 0) return;
  for (const RowSpringData& spring : model.row_springs) {
    rows_.emplace_back(model, layout, spring.dof);
    const auto links = rows_.back().links();
    is_inside_.push_back(
        std::all_of(links.begin(), links.end(), [&](int link) { return layout.cluster_of_link(link) >= 0; }));
  }
  const auto n = static_cast<Eigen::Index>(rows_.size());
  Y_ = left_ = Eigen::MatrixXd::Zero(z_count, n);
  armature_ = rate_ = Eigen::VectorXd::Zero(n);
  S_ = Eigen::MatrixXd::Identity(n, n);
  row_of_.resize(rows_.size());
}

void RotorRows::update(const ModelData& model, const KinematicsWork& kinematics, const Whitener& whitener,
                       BilateralRows& bilateral, Workspace& work) {
  count_ = 0;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (model.row_springs[i].armature <= 0 || !is_inside_[i]) continue;
    rows_[i].update(model, kinematics);
    auto y = Y_.col(count_);
    y.setZero();
    const auto place = [&](int link) { return y.data() + layout_.cluster(layout_.cluster_of_link(link)).begin; };
    rows_[i].visit(
        [&](int u_index, double unit, int path) { whitener.add_joint(model, work, u_index, unit, true, place(path)); },
        [&](int link, const Force<double>& unit, int path) {
          whitener.add(model, work, unit, link, true, place(path));
        });
    left_.col(count_) = y;
    for (int c = 0; c < layout_.cluster_count(); ++c)
      bilateral.project_out(c, left_.col(count_).data() + layout_.cluster(c).begin);
    row_of_[static_cast<std::size_t>(count_)] = i;
    armature_[count_++] = model.row_springs[i].armature;
  }
  if (count_ == 0) return;
  // The factor has the size of all, so that nothing is taken from the heap: those not in use are ones.
  S_.setIdentity();
  S_.topLeftCorner(count_, count_).noalias() = left_.leftCols(count_).transpose() * left_.leftCols(count_);
  for (Eigen::Index i = 0; i < count_; ++i) S_(i, i) += 1 / armature_[i];
  factor_.compute(S_);
}

void RotorRows::weigh(double* z) {
  if (count_ == 0) return;
  Eigen::Map<Eigen::VectorXd> all(z, Y_.rows());
  rate_.setZero();
  rate_.head(count_).noalias() = Y_.leftCols(count_).transpose() * all;
  factor_.solveInPlace(rate_);
  all.noalias() -= left_.leftCols(count_) * rate_.head(count_);
}

void RotorRows::add_push(double* z, double* impulses) {
  std::fill_n(impulses, rows_.size(), 0.0);
  if (count_ == 0) return;
  Eigen::Map<Eigen::VectorXd> all(z, Y_.rows());
  rate_.head(count_).noalias() = Y_.leftCols(count_).transpose() * all;
  rate_.head(count_).array() *= armature_.head(count_).array();
  for (Eigen::Index i = 0; i < count_; ++i) impulses[row_of_[static_cast<std::size_t>(i)]] = -rate_[i];
  all.noalias() += Y_.leftCols(count_) * rate_.head(count_);
}

void RotorRows::react(const ModelData& model, const double* forces, Workspace& work) const {
  for (std::size_t i = 0; i < rows_.size(); ++i)
    if (forces[i] != 0) load_coordinate(model, rows_[i].dof(), forces[i], work);
}

}  // namespace lipkin
