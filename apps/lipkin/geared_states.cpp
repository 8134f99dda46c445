#include "geared_states.hpp"

#include <algorithm>

namespace lipkin::cli {

GearedStates::GearedStates(const Model& model) {
  std::vector<GearInfo> waiting;
  for (int i = 0; i < model.gear_count(); ++i) {
    const GearInfo gear = model.gear(i);
    if (gear.u >= 0 && gear.of_u >= 0) waiting.push_back(gear);
  }
  for (bool found = true; found;) {
    found = false;
    for (std::size_t i = 0; i < waiting.size(); ++i) {
      const int leader = waiting[i].of_u;
      if (std::any_of(waiting.begin(), waiting.end(), [&](const GearInfo& g) { return g.u == leader; })) continue;
      gears_.push_back(waiting[i]);
      waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(i));
      found = true;
      break;
    }
  }
}

std::vector<int> GearedStates::leaders(const std::vector<int>& dofs) const {
  std::vector<int> result;
  for (const int u : dofs) {
    if (std::none_of(gears_.begin(), gears_.end(), [&](const GearInfo& g) { return g.u == u; })) result.push_back(u);
  }
  return result;
}

void GearedStates::apply(std::vector<double>& q, std::vector<double>& u) const {
  const auto at = [](int index) { return static_cast<std::size_t>(index); };
  for (const GearInfo& gear : gears_) {
    q[at(gear.q)] = gear.value(q[at(gear.of_q)]);
    u[at(gear.u)] = gear.slope(q[at(gear.of_q)]) * u[at(gear.of_u)];
  }
}

Eigen::MatrixXd GearedStates::following(const std::vector<int>& leaders, const std::vector<double>& q,
                                        int u_count) const {
  Eigen::MatrixXd R = Eigen::MatrixXd::Zero(u_count, static_cast<Eigen::Index>(leaders.size()));
  for (std::size_t i = 0; i < leaders.size(); ++i) R(leaders[i], static_cast<Eigen::Index>(i)) = 1;
  for (const GearInfo& gear : gears_)
    R.row(gear.u) = gear.slope(q[static_cast<std::size_t>(gear.of_q)]) * R.row(gear.of_u);
  return R;
}

Eigen::VectorXd GearedStates::bending(const std::vector<double>& q, const std::vector<double>& u) const {
  Eigen::VectorXd a = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(u.size()));
  for (const GearInfo& gear : gears_) {
    const double x = q[static_cast<std::size_t>(gear.of_q)], rate = u[static_cast<std::size_t>(gear.of_u)];
    a[gear.u] = gear.slope(x) * a[gear.of_u] + gear.bend(x) * rate * rate;
  }
  return a;
}

}  // namespace lipkin::cli
