#include "constraints/motion_freedom.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "constraints/constraint_system.hpp"
#include "model/mechanism_size.hpp"
#include "model/model_compiler.hpp"
#include "model/tendon_path.hpp"

namespace lipkin {

namespace {

// A tendon between points of the world drives nothing.
bool acts_on_something(const ModelData& model, const DofRef& dof) {
  bool acts = false;
  visit_parts(
      model, dof, [&](int, double) { acts = true; }, [&](int link) { acts = acts || link > 0; });
  return acts;
}

// The rows of every drive, those with a limited force among them, beside loops, gears and rods.
class DriveRows {
 public:
  DriveRows(const ModelData& model, const State& state)
      : data_(with_every_drive_prescribed(model)), constraints_(data_) {
    Workspace work(data_);
    work.diag = data_.armature;
    State at = state;
    constraints_.linearize(data_, {}, at, work);
  }

  // Motors whose row shares a cluster with that of `motor`; itself left out.
  std::vector<int> beside(int motor) const {
    std::vector<int> motors;
    const BilateralRows& rows = constraints_.bilateral();
    const auto [begin, count] = rows.rows_beside(row_of(motor));
    for (int r = begin; r < begin + count; ++r)
      if (const int other = rows.motor_of(r); other >= 0 && other != motor) motors.push_back(other);
    return motors;
  }

  // Whether loops, gears and rods, together with the motions of `others`, decide the rate of a motor's coordinate: its
  // row is then one of theirs.
  bool is_decided(int motor, const std::vector<int>& others) const {
    const BilateralRows& rows = constraints_.bilateral();
    const int own = row_of(motor);
    const std::vector<double> y = rows.whitened(own);
    const auto [begin, count] = rows.rows_beside(own);
    std::vector<double> matrix;
    int held = 0;
    for (int r = begin; r < begin + count; ++r) {
      const int of = rows.motor_of(r);
      if (r == own || (of >= 0 && std::find(others.begin(), others.end(), of) == others.end())) continue;
      const std::vector<double> held_row = rows.whitened(r);
      matrix.insert(matrix.end(), held_row.begin(), held_row.end());
      ++held;
    }
    return is_in_span(matrix, held, y);
  }

  // Whether loops, gears and rods alone decide the rate of a motor's coordinate; their names then. Nothing is said of
  // clusters so large that it would take as long as the run.
  std::vector<std::string> holders_of(int motor) const {
    constexpr int kLargest = 600;  // [rows]
    const BilateralRows& rows = constraints_.bilateral();
    const auto [begin, count] = rows.rows_beside(row_of(motor));
    if (count > kLargest || !is_decided(motor, {})) return {};
    std::vector<std::string> names;
    for (int r = begin; r < begin + count; ++r) {
      if (rows.motor_of(r) >= 0) continue;
      const std::string name = rows.owner_of(data_, r);
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
    return names;
  }

 private:
  static bool is_in_span(const std::vector<double>& matrix, int held, const std::vector<double>& y) {
    const int n = static_cast<int>(y.size());
    BilateralFactor factor;
    factor.reserve(held, n);
    factor.factor(matrix.data(), held, n, n, nullptr);
    std::vector<double> left(factor.width(), 0.0);
    std::copy(y.begin(), y.end(), left.begin());
    factor.project_out(left.data());
    const auto square = [](const auto& row) {
      double sum = 0;
      for (const double x : row) sum += x * x;
      return sum;
    };
    return square(left) <= BilateralFactor::kDefaultRankTolerance * square(y);
  }

  static ModelData with_every_drive_prescribed(ModelData model) {
    for (MotorData& motor : model.motors)
      if (acts_on_something(model, motor.dof)) motor.servo = false, motor.max_force = kInfinity;
    return model;
  }

  int row_of(int motor) const {
    const BilateralRows& rows = constraints_.bilateral();
    for (int r = 0; r < rows.row_count(); ++r)
      if (rows.motor_of(r) == motor) return r;
    throw InternalError("a drive has no row");
  }

  ModelData data_;
  ConstraintSystem constraints_;
};

int motor_named(const ModelData& model, const std::string& name) {
  for (std::size_t i = 0; i < model.motors.size(); ++i)
    if (model.motors[i].name == name) return static_cast<int>(i);
  return -1;
}

bool is_prescribed_in(const ModelData& model, const MotorData& motor) {
  const int i = motor_named(model, motor.name);
  return i >= 0 && is_prescribed(model.motors[i]);
}

std::vector<int> prescribed_among(const ModelData& model, std::vector<int> motors) {
  std::erase_if(motors, [&](int i) { return !is_prescribed(model.motors[i]); });
  return motors;
}

// A brake resists a motion, whatever that is; it decides none.
bool is_brake(const MotorData& motor) {
  const double* target = std::get_if<double>(&motor.target);
  return motor.kind == MotorKind::kVelocity && !is_prescribed(motor) && motor.control_index < 0 && target &&
         *target == 0;
}

std::vector<int> without_brakes(const ModelData& model, std::vector<int> motors) {
  std::erase_if(motors, [&](int i) { return is_brake(model.motors[i]); });
  return motors;
}

const MotorSpec& spec_of(const ModelData& model, int motor) { return model.parts->motors[motor]; }

std::string place_of(const MotorSpec& motor) {
  return motor.tendon.empty() ? fmt::format("joint '{}'", motor.joint) : fmt::format("tendon '{}'", motor.tendon);
}

// Those among `others` without which the motion would be free; the names of all where each of several would do.
std::string holders_of(const ModelData& model, const DriveRows& rows, int motor, const std::vector<int>& others) {
  std::string needed, all;
  for (const int other : others) {
    std::vector<int> rest = others;
    std::erase(rest, other);
    const std::string name = fmt::format("'{}'", spec_of(model, other).name);
    const auto add = [&](std::string& list) { list += list.empty() ? name : " and " + name; };
    if (!rows.is_decided(motor, rest)) add(needed);
    if (rows.is_decided(motor, {other})) add(all);
  }
  return needed.empty() ? all : needed;
}

[[noreturn]] void refuse(const ModelData& model, const DriveRows& rows, int motor, const std::vector<int>& others) {
  const MotorSpec& motion = spec_of(model, motor);
  const std::string what = fmt::format("'{}' cannot prescribe the motion of {}", motion.name, place_of(motion));
  if (rows.is_decided(motor, {}))
    throw InputError(motion.where, fmt::format("{}: loops and gears leave it no freedom where it is now", what));
  throw InputError(motion.where,
                   fmt::format("{}: the drive {} decides it already; turn that off first, or give '{}' a max_force",
                               what, holders_of(model, rows, motor, others), motion.name));
}

}  // namespace

void check_motion_freedoms(const ModelData& before, const State& state_before, const ModelData& after,
                           const State& state_after) {
  const auto moves = [](const MotorData& motor) { return is_prescribed(motor); };
  if (!after.massless_joints.empty() || std::none_of(after.motors.begin(), after.motors.end(), moves)) return;
  const DriveRows rows(after, state_after);
  std::vector<int> taken;
  for (std::size_t i = 0; i < after.motors.size(); ++i) {
    const int motor = static_cast<int>(i);
    const MotorData& data = after.motors[i];
    if (!is_prescribed(data) || !acts_on_something(after, data.dof)) continue;
    const bool is_new = !is_prescribed_in(before, data);
    const std::vector<int> drives = rows.beside(motor);
    const std::vector<int> others = is_new ? without_brakes(after, drives) : prescribed_among(after, drives);
    if (!rows.is_decided(motor, others)) continue;
    if (is_new) refuse(after, rows, motor, others);
    taken.push_back(motor);
  }
  if (taken.empty()) return;
  const DriveRows rows_before(before, state_before);  // what was so before is no matter of this edit
  for (const int motor : taken) {
    const int old = motor_named(before, after.motors[motor].name);
    if (rows_before.is_decided(old, prescribed_among(before, rows_before.beside(old)))) continue;
    refuse(after, rows, motor, prescribed_among(after, rows.beside(motor)));
  }
}

namespace {

// The model driven in these coordinates and no others.
ModelData driven_in(const ModelData& model, const std::vector<DofRef>& dofs) {
  ModelData driven = model;
  driven.motors.clear();
  for (const DofRef& dof : dofs) {
    MotorData motor;
    motor.dof = dof;
    motor.target = 0.0;
    driven.motors.push_back(motor);
  }
  return driven;
}

// A little further on, so that a dead point is left; nothing where the loops do not close there.
std::optional<State> pose_nearby(const ModelData& undriven, const State& state) {
  constexpr double kPart = 0.03;  // [rad], and of the mechanism's size
  ConstraintSystem loops(undriven);
  Workspace work(undriven);
  work.diag = undriven.armature;
  State near = state;
  std::vector<double> step(static_cast<std::size_t>(undriven.u_count));
  for (std::size_t k = 0; k < step.size(); ++k) step[k] = (1 + 0.3 * std::sin(static_cast<double>(k)));
  kernels().retract(undriven.links.data(), static_cast<int>(undriven.links.size()), state.q.data(),
                    kPart * std::min(1.0, mechanism_size(undriven)), step.data(), near.q.data());
  try {
    loops.assembly().assemble(undriven, near, work);
  } catch (const InputError&) {
    return std::nullopt;
  }
  return near;
}

}  // namespace

std::vector<std::vector<std::string>> holders_of_coordinates(const ModelData& model, const State& state,
                                                             const std::vector<DofRef>& dofs) {
  std::vector<std::vector<std::string>> holders(dofs.size());
  const bool has_loops = !model.closures.empty() || !model.gears.empty() || !model.distances.empty();
  if (dofs.empty() || !has_loops || !model.massless_joints.empty()) return holders;
  const ModelData driven = driven_in(model, dofs);
  const DriveRows here(driven, state);
  for (std::size_t i = 0; i < dofs.size(); ++i) holders[i] = here.holders_of(static_cast<int>(i));
  if (std::all_of(holders.begin(), holders.end(), [](const auto& names) { return names.empty(); })) return holders;
  const std::optional<State> near = pose_nearby(driven_in(model, {}), state);
  const std::optional<DriveRows> there = near ? std::optional<DriveRows>(std::in_place, driven, *near) : std::nullopt;
  for (std::size_t i = 0; i < dofs.size(); ++i)
    if (!holders[i].empty() && (!there || there->holders_of(static_cast<int>(i)).empty())) holders[i].clear();
  return holders;
}

}  // namespace lipkin
