#include "constraints/bilateral_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "constraints/block_writer.hpp"
#include "constraints/reaction_loads.hpp"
#include "model/model_compiler.hpp"

namespace lipkin {

namespace {

struct PointPair {
  Vec3<double> p_a, p_b, direction;  // world; from a to b
  double length;
};

PointPair point_pair(const DistanceData& d, const Transform<double>* X_WL) {
  PointPair pair = {X_WL[d.a.link] * d.a.p_L, X_WL[d.b.link] * d.b.p_L, {}, 0};
  pair.direction = pair.p_b - pair.p_a;
  pair.length = norm(pair.direction);
  pair.direction = pair.length > 0 ? (1 / pair.length) * pair.direction : Vec3<double>::unit(0);
  return pair;
}

// How far the follower of a gear goes with its leader, at these coordinates.
double slope_of(const ModelData& model, std::size_t gear, const double* q, const double* closure_q) {
  return model.gears[gear].slope(coordinate_of(model.gears[gear].of, model, q, closure_q));
}

// The link of a velocity of the tree.
int link_of(const ModelData& model, int u_index) {
  int link = static_cast<int>(model.links.size()) - 1;
  while (link > 0 && model.links[link].u_index > u_index) --link;
  return link;
}

// All links that rows on these coordinates act on are held together; each with the world too, so that a single one
// makes a cluster. The link of a tree joint has the parent on its path.
void join_links(const ModelData& model, std::initializer_list<const DofRef*> dofs,
                std::vector<std::pair<int, int>>& pairs) {
  std::vector<int> links;
  for (const DofRef* dof : dofs)
    visit_parts(
        model, *dof, [&](int u_index, double) { links.push_back(link_of(model, u_index)); },
        [&](int link) { links.push_back(link); });
  std::erase(links, 0);
  for (const int link : links) {
    pairs.emplace_back(0, link);
    pairs.emplace_back(links.front(), link);
  }
}

template <class Specs>
SourceLocation where_is(const Specs& specs, const std::string& name) {
  const auto found = std::find_if(specs.begin(), specs.end(), [&](const auto& spec) { return spec.name == name; });
  return found == specs.end() ? SourceLocation{} : found->where;
}

}  // namespace

std::vector<std::pair<int, int>> bilateral_links(const ModelData& model) {
  std::vector<std::pair<int, int>> pairs;
  for (const ClosureData& c : model.closures)
    if (closure_row_count(c.type) > 0) pairs.emplace_back(c.link_a, c.link_b);
  for (const GearData& g : model.gears) join_links(model, {&g.dof, &g.of}, pairs);
  for (const DistanceData& d : model.distances)
    if (is_rod(d)) pairs.emplace_back(d.a.link, d.b.link);
  for (const MotorData& m : model.motors)
    if (is_prescribed(m)) join_links(model, {&m.dof}, pairs);
  return pairs;
}

BilateralRows::BilateralRows(const ModelData& model, const ZLayout& layout) : frames_(model.closures.size()) {
  gear_slope_.assign(model.gears.size(), 0.0);
  for (int c = 0; c < layout.cluster_count(); ++c) clusters_.emplace_back(layout.cluster(c));
  add_items(model, layout);
  find_measured(model);
  std::stable_sort(items_.begin(), items_.end(), [](const Item& a, const Item& b) { return a.cluster < b.cluster; });
  for (Item& item : items_) {
    item.row_begin = row_count_;
    const int lengths = item.kind == Kind::kClosure ? closure_length_count(model.closures[item.index].type) : 1;
    const bool is_speed = item.kind == Kind::kMotor && model.motors[item.index].kind == MotorKind::kVelocity;
    has_speeds_ = has_speeds_ || is_speed;
    speeds_need_links_ = speeds_need_links_ || (is_speed && !model.motors[item.index].dof.is_in_tree());
    for (int r = 0; r < item.row_count; ++r) {
      is_speed_.push_back(is_speed);
      is_length_.push_back(item.kind == Kind::kClosure ? r < lengths : item.kind == Kind::kRod);
    }
    clusters_[item.cluster].add_rows(row_count_, item.row_count);
    row_count_ += item.row_count;
  }
  choose_forms(model, layout);
}

void BilateralRows::add_items(const ModelData& model, const ZLayout& layout) {
  const auto add_row = [&](const DofRef& dof) {
    dof_rows_.emplace_back(model, layout, dof);
    return dof_rows_.back().links().empty() ? -1 : layout.cluster_of_link(dof_rows_.back().links().front());
  };
  const auto add_spatial = [&](Kind kind, int index, int rows, int a, int b) {
    if (rows == 0 || (a == 0 && b == 0)) return;
    items_.push_back(
        {kind, index, layout.cluster_of_link(b > 0 ? b : a), 0, rows, -1, static_cast<int>(spatial_.size())});
    spatial_.emplace_back();
  };
  for (std::size_t i = 0; i < model.closures.size(); ++i) {
    const ClosureData& c = model.closures[i];
    add_spatial(Kind::kClosure, static_cast<int>(i), closure_row_count(c.type), c.link_a, c.link_b);
  }
  for (std::size_t i = 0; i < model.gears.size(); ++i) {
    const GearData& g = model.gears[i];
    const int row = static_cast<int>(dof_rows_.size()), cluster = add_row(g.dof), leader = add_row(g.of);
    items_.push_back({Kind::kGear, static_cast<int>(i), cluster < 0 ? leader : cluster, 0, 1, row, -1});
  }
  for (std::size_t i = 0; i < model.distances.size(); ++i) {
    const DistanceData& d = model.distances[i];
    if (is_rod(d)) add_spatial(Kind::kRod, static_cast<int>(i), 1, d.a.link, d.b.link);
  }
  for (std::size_t i = 0; i < model.motors.size(); ++i) {
    const MotorData& m = model.motors[i];
    if (!is_prescribed(m)) continue;
    const int row = static_cast<int>(dof_rows_.size());
    items_.push_back({Kind::kMotor, static_cast<int>(i), add_row(m.dof), 0, 1, row, -1});
  }
}

// Closures and tendons whose coordinates the gaps of bilateral rows depend on.
void BilateralRows::find_measured(const ModelData& model) {
  const auto add = [&](int closure) {
    if (closure >= 0 &&
        std::find(measured_closures_.begin(), measured_closures_.end(), closure) == measured_closures_.end())
      measured_closures_.push_back(closure);
  };
  for (std::size_t i = 0; i < model.closures.size(); ++i)
    if (model.closures[i].type == JointType::kScrew) add(static_cast<int>(i));
  const auto add_all = [&](const DofRef& dof, const auto& again) -> void {
    add(dof.closure);
    if (dof.tendon < 0) return;
    if (std::find(measured_tendons_.begin(), measured_tendons_.end(), dof.tendon) == measured_tendons_.end())
      measured_tendons_.push_back(dof.tendon);
    for (const TendonData::Term& term : model.tendons[dof.tendon].terms) again(term.dof, again);
  };
  for (const DofRow& row : dof_rows_) add_all(row.dof(), add_all);
}

SourceLocation where_of_closure(const ModelData& model, int closure) {
  return where_is(model.parts->joints, model.closures[closure].name);
}

SourceLocation BilateralRows::where_of(const ModelData& model, int row) const {
  for (const Item& item : items_) {
    if (row < item.row_begin || row >= item.row_begin + item.row_count) continue;
    switch (item.kind) {
      case Kind::kClosure:
        return where_of_closure(model, item.index);
      case Kind::kGear:
        return where_is(model.parts->gears, model.gears[item.index].name);
      case Kind::kRod:
        return where_is(model.parts->distances, model.distances[item.index].name);
      case Kind::kMotor:
        return where_is(model.parts->motors, model.motors[item.index].name);
    }
  }
  return {};
}

std::string BilateralRows::owner_of(const ModelData& model, int row) const {
  for (const Item& item : items_) {
    if (row < item.row_begin || row >= item.row_begin + item.row_count) continue;
    switch (item.kind) {
      case Kind::kClosure:
        return fmt::format("loop '{}'", model.closures[item.index].name);
      case Kind::kGear:
        return fmt::format("gear '{}'", model.gears[item.index].name);
      case Kind::kRod:
        return fmt::format("rod '{}'", model.distances[item.index].name);
      case Kind::kMotor:
        return fmt::format("motor '{}'", model.motors[item.index].name);
    }
  }
  return {};
}

double BilateralRows::opening(const double* gaps, int row) const {
  double sum = 0;
  for (const Item& item : items_) {
    if (row < item.row_begin || row >= item.row_begin + item.row_count) continue;
    for (int r = item.row_begin; r < item.row_begin + item.row_count; ++r)
      if (is_length_[r] == is_length_[row]) sum += gaps[r] * gaps[r];
  }
  return std::sqrt(sum);
}

int BilateralRows::motor_of(int row) const {
  for (const Item& item : items_)
    if (item.kind == Kind::kMotor && item.row_begin == row) return item.index;
  return -1;
}

BilateralRows::RowRange BilateralRows::rows_beside(int row) const {
  for (const BilateralCluster& c : clusters_)
    if (row >= c.row_begin() && row < c.row_begin() + c.row_count()) return {c.row_begin(), c.row_count()};
  return {row, 0};
}

std::vector<double> BilateralRows::whitened(int row) const {
  for (const BilateralCluster& c : clusters_)
    if (row >= c.row_begin() && row < c.row_begin() + c.row_count()) return c.dense_copy(row - c.row_begin());
  return {};
}

void BilateralRows::take_frames(const ModelData& model, const Transform<double>* X_WL) {
  for (std::size_t i = 0; i < frames_.size(); ++i) frames_[i] = closure_frames(model.closures[i], X_WL);
}

void BilateralRows::gaps(const ModelData& model, const Transform<double>* X_WL, const double* q,
                         const MotorTargets& targets, double* closure_q, double* g) const {
  for (const int i : measured_closures_) {
    const ClosureData& c = model.closures[i];
    closure_coordinates(c, frames_[i], closure_q + c.coordinate_index);
  }
  for (const int i : measured_tendons_) {
    const TendonData& tendon = model.tendons[i];
    closure_q[tendon.coordinate_index] = tendon_length(model, tendon, q, closure_q, X_WL);
  }
  for (const Item& item : items_) {
    double* out = g + item.row_begin;
    switch (item.kind) {
      case Kind::kClosure: {
        const ClosureData& c = model.closures[item.index];
        closure_gaps(c, frames_[item.index], closure_q + c.coordinate_index, out);
        break;
      }
      case Kind::kGear: {
        const GearData& gear = model.gears[item.index];
        *out = coordinate_of(gear.dof, model, q, closure_q) - gear.value(coordinate_of(gear.of, model, q, closure_q));
        break;
      }
      case Kind::kRod:
        *out = point_pair(model.distances[item.index], X_WL).length - model.distances[item.index].upper;
        break;
      case Kind::kMotor: {
        const double target = targets.value[item.index];
        *out = std::isnan(target) && is_speed_[item.row_begin]
                   ? 0.0
                   : coordinate_of(model.motors[item.index].dof, model, q, closure_q) - target;
        break;
      }
    }
  }
}

void BilateralRows::lead_speeds(const ModelData& model, double h, const State& state, const double* u,
                                const Motion<double>* V_WL, MotorTargets& targets) const {
  for (const Item& item : items_) {
    if (!is_speed_[item.row_begin]) continue;
    const DofRef& dof = model.motors[item.index].dof;
    targets.value[item.index] = has_coordinate(dof, model)
                                    ? coordinate_of(dof, model, state.q.data(), state.closure_q.data()) +
                                          h * dof_rows_[item.dof_row].rate(u, V_WL)
                                    : std::numeric_limits<double>::quiet_NaN();
  }
}

void BilateralRows::update(const ModelData& model, const KinematicsWork& kinematics, const double* q,
                           const double* closure_q) {
  for (DofRow& row : dof_rows_) row.update(model, kinematics);
  for (std::size_t i = 0; i < model.gears.size(); ++i) gear_slope_[i] = slope_of(model, i, q, closure_q);
  for (const Item& item : items_) {
    if (item.kind == Kind::kClosure) {
      closure_rows(model.closures[item.index], frames_[item.index], kinematics, spatial_[item.spatial]);
    } else if (item.kind == Kind::kRod) {
      const DistanceData& d = model.distances[item.index];
      const PointPair pair = point_pair(d, kinematics.X_WL.data());
      spatial_[item.spatial].clear(d.a.link, d.b.link);
      spatial_[item.spatial].add_linear(kinematics, pair.direction, pair.p_a, pair.p_b);
    }
  }
}

void BilateralRows::factor(const ModelData& model, const Whitener& whitener, Workspace& work) {
  for (BilateralCluster& c : clusters_) c.clear_rows();
  for (const Item& item : items_) {
    if (item.group >= 0) {
      whiten_by_node(model, item, whitener, work);
      continue;
    }
    whiten(model, item, whitener, work);
    if (item.spatial >= 0) clear_rounding(item, whitener);
  }
  for (BilateralCluster& c : clusters_) c.factor();
}

// A row that the tree holds already is zero but for rounding, which must not be taken for a row of its own.
void BilateralRows::clear_rounding(const Item& item, const Whitener& whitener) {
  const SpatialRows& rows = spatial_[item.spatial];
  const double* f = rows.link_b > 0 ? rows.f_b : rows.f_a;
  const int width = clusters_[item.cluster].z().count;
  const auto square = [f](int first, int r) {
    constexpr int kLanes = SpatialRows::kLanes;
    const double *x = f + first * kLanes + r, *y = x + kLanes, *z = y + kLanes;
    return *x * *x + *y * *y + *z * *z;
  };
  double* y = dense_row(item, 0);
  for (int r = 0; r < item.row_count; ++r, y += width) {
    double y2 = 0;
    for (int k = 0; k < width; ++k) y2 += y[k] * y[k];
    if (y2 < whitener.least_square(square(3, r), square(0, r))) std::fill(y, y + width, 0.0);
  }
}

void BilateralRows::write(BlockWriter& writer) const {
  for (const Item& item : items_) {
    if (item.spatial >= 0) {
      const SpatialRows& rows = spatial_[item.spatial];
      writer.open(LawKind::kBilateral, item.row_count, {rows.link_a, rows.link_b});
      writer.add(rows);
      writer.close();
      continue;
    }
    const DofRow& row = dof_rows_[item.dof_row];
    if (item.kind == Kind::kGear) {
      const DofRow& leader = dof_rows_[item.dof_row + 1];
      writer.open(LawKind::kBilateral, 1, row.links(), leader.links());
      writer.add(leader, -gear_slope_[item.index]);
    } else {
      writer.open(LawKind::kBilateral, 1, row.links());
    }
    writer.add(row, 1);
    writer.close();
  }
}

void BilateralRows::whiten(const ModelData& model, const Item& item, const Whitener& whitener, Workspace& work) {
  double* y = dense_row(item, 0);
  if (item.spatial >= 0) {
    const SpatialRows& rows = spatial_[item.spatial];
    const int stride = clusters_[item.cluster].z().count;
    whitener.add(model, work, rows.f_a, SpatialRows::kLanes, rows.count, rows.link_a, true, stride, y);
    whitener.add(model, work, rows.f_b, SpatialRows::kLanes, rows.count, rows.link_b, true, stride, y);
    return;
  }
  whiten_dof(model, dof_rows_[item.dof_row], 1, whitener, work, y);
  if (item.kind == Kind::kGear)
    whiten_dof(model, dof_rows_[item.dof_row + 1], -gear_slope_[item.index], whitener, work, y);
}

void BilateralRows::whiten_dof(const ModelData& model, const DofRow& dof, double impulse, const Whitener& whitener,
                               Workspace& work, double* y) const {
  dof.visit(
      [&](int u_index, double unit, int) { whitener.add_joint(model, work, u_index, impulse * unit, true, y); },
      [&](int link, const Force<double>& unit, int) { whitener.add(model, work, impulse * unit, link, true, y); });
}

void BilateralRows::rates(const double* u, const Motion<double>* V_WL, const MotorTargets& targets,
                          double* gamma) const {
  for (const Item& item : items_) {
    double* out = gamma + item.row_begin;
    if (item.spatial >= 0) {
      const SpatialRows& rows = spatial_[item.spatial];
      rows.rates(V_WL[rows.link_a], V_WL[rows.link_b], out);
      continue;
    }
    *out = dof_rows_[item.dof_row].rate(u, V_WL);
    if (item.kind == Kind::kGear) *out -= gear_slope_[item.index] * dof_rows_[item.dof_row + 1].rate(u, V_WL);
    if (item.kind == Kind::kMotor) *out -= targets.rate[item.index];
  }
}

void BilateralRows::add_work(const double* impulses, const SolveVelocities& velocities, StepWork& done) const {
  for (const Item& item : items_) {
    const double* impulse = impulses + item.row_begin;
    const auto rate = [&](int dof_row) { return dof_rows_[dof_row].rate(velocities.mean, velocities.V_mean); };
    if (item.spatial >= 0) {
      const SpatialRows& rows = spatial_[item.spatial];
      double mean[SpatialRows::kLanes];
      rows.rates(velocities.V_mean[rows.link_a], velocities.V_mean[rows.link_b], mean);
      for (int r = 0; r < item.row_count; ++r) done.constraints += impulse[r] * mean[r];
    } else if (item.kind == Kind::kGear) {
      done.constraints += *impulse * (rate(item.dof_row) - gear_slope_[item.index] * rate(item.dof_row + 1));
    } else {
      done.motors += *impulse * rate(item.dof_row);
    }
  }
}

double BilateralRows::motor_work(const double* impulses, const double* u, const Motion<double>* V_WL) const {
  double work = 0;
  for (const Item& item : items_)
    if (item.kind == Kind::kMotor) work += impulses[item.row_begin] * dof_rows_[item.dof_row].rate(u, V_WL);
  return work;
}

void BilateralRows::react(const ModelData& model, const State& state, const double* forces, Workspace& work) const {
  for (const Item& item : items_) {
    const double* force = forces + item.row_begin;
    SpatialRows rows;
    switch (item.kind) {
      case Kind::kClosure: {
        const ClosureData& c = model.closures[item.index];
        closure_rows(c, closure_frames(c, work.kinematics.X_WL.data()), work.kinematics, rows);
        add_closure_force(model, item.index, load_rows(rows, force, work), work);
        break;
      }
      case Kind::kRod: {
        const DistanceData& d = model.distances[item.index];
        const PointPair pair = point_pair(d, work.kinematics.X_WL.data());
        rows.clear(d.a.link, d.b.link);
        rows.add_linear(work.kinematics, pair.direction, pair.p_a, pair.p_b);
        load_rows(rows, force, work);
        break;
      }
      case Kind::kGear: {
        const GearData& gear = model.gears[item.index];
        load_coordinate(model, gear.dof, *force, work);
        const double slope = slope_of(model, item.index, state.q.data(), state.closure_q.data());
        load_coordinate(model, gear.of, -slope * *force, work);
        break;
      }
      case Kind::kMotor:
        load_coordinate(model, model.motors[item.index].dof, *force, work);
        work.motor_force[item.index] = *force;
        break;
    }
  }
}

}  // namespace lipkin
