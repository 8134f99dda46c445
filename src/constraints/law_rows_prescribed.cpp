// Laws whose rows the bilateral rows leave no freedom: dry friction of a driven joint, behind a gear or in a linkage
// that a motor prescribes, a block that is dragged over a floor. No impulse of such a row changes its rate, so that the
// law alone, not an equation, gives its impulse: where it slides, the bound against the sliding; where it stands still,
// any up to the bound, of which the shortest is none. What it does reaches the bilateral rows (a motor's torque) and
// the balance like every other impulse.
//
// The solvers need to know nothing of this. Such a row gives way a little: gamma + C Lambda = 0 within the bounds, with
// C so small that the sliding takes all of the bound. As the row touches nothing else, only the direction of its rate
// matters: it slides at 1 m/s or not at all. Friction of a contact that is held in one direction of its plane and free
// in the other keeps its rates, and gives way in the former alone: by a column of its own in z, on which nothing else
// acts.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "constraints/law_rows.hpp"
#include "solvers/sweep_block.hpp"

namespace lipkin {

namespace {

// Rates at which rows give way under their whole bound: of a single row, of friction whose bound is not known before
// the solve, over the speed of the sliding where friction is free across it.
constexpr double kGivesWay = 0.5, kFrictionGivesWay = 1e-4, kGivesWayAcross = 1e-7;  // [m/s] or [rad/s]
// Contacts that press less than what stops their bodies from this speed count as if they pressed that much [m/s].
constexpr double kLeastPress = 1e-2;

constexpr int kColumnsMost = 6;  // 2 of tangents, 1 of spinning, 2 of rolling, in whole grains

// Symmetric 2 x 2 matrix: its directions whose values are below `least`, as unit vectors; returns how many.
int null_directions(double a, double b, double c, double least, double n[2][2]) {
  const double mean = 0.5 * (a + c), half = std::hypot(0.5 * (a - c), b);
  if (!(mean - half < least)) return 0;
  if (mean + half < least) {
    n[0][0] = n[1][1] = 1, n[0][1] = n[1][0] = 0;
    return 2;
  }
  // The eigenvector of the smaller value; the longer of two ways to write it.
  double x = b, y = mean - half - a;
  if (const double u = mean - half - c; u * u + b * b > x * x + y * y) x = u, y = b;
  const double length = std::hypot(x, y);
  n[0][0] = length > 0 ? x / length : (a <= c ? 1.0 : 0.0);
  n[0][1] = length > 0 ? y / length : (a <= c ? 0.0 : 1.0);
  return 1;
}

double product(const Problem& problem, const Block& block, int r, int s) {
  const double* y = problem.y.data() + block.y_begin;
  double sum = 0;
  for (int k = 0; k < block.width; ++k) sum += y[r * block.width + k] * y[s * block.width + k];
  return sum;
}

// What rows of one block get beside their parts on the bodies.
struct OwnColumns {
  int count = 0;
  std::array<std::array<double, kColumnsMost>, 6> of_row = {};  // row, column

  void add(int first_row, const double* direction, int rows, double give) {
    for (int r = 0; r < rows; ++r) of_row[first_row + r][count] = std::sqrt(give) * direction[r];
    ++count;
  }
};

// The block's rows again, behind all others, with columns of z that are its own.
void widen(const OwnColumns& own, Block& block, Problem& problem, WholeRows* whole) {
  const int columns = (own.count + kRunGrain - 1) / kRunGrain * kRunGrain, width = block.width + columns;
  const std::size_t from = block.y_begin, to = problem.y.size();
  const std::size_t added = static_cast<std::size_t>(block.row_count) * static_cast<std::size_t>(width);
  const auto append = [&](std::vector<double>& rows) {
    rows.resize(to + added, 0.0);
    for (int r = 0; r < block.row_count; ++r) {
      const double* row = rows.data() + from + static_cast<std::size_t>(r * block.width);
      double* out = rows.data() + to + static_cast<std::size_t>(r * width);
      std::copy_n(row, block.width, out);
      std::copy_n(own.of_row[r].data(), columns, out + block.width);
    }
  };
  append(problem.y);
  if (whole) append(whole->y);
  const int first_run = static_cast<int>(problem.runs.size());
  for (int i = 0; i < block.run_count; ++i) problem.runs.push_back(problem.runs[block.run_begin + i]);
  problem.runs.push_back({problem.z_count, columns});
  problem.z_count += columns;
  block.run_begin = first_run;
  ++block.run_count;
  block.y_begin = to;
  block.width = width;
}

}  // namespace

// A single row that an elimination left no freedom gives way; returns whether its force is not determined. One without
// bounds (a limit) stays: what it asks for is impossible where something else moves it.
bool LawRows::follows_from_motion(const BlockWriter& writer, const Wanted& wanted, Problem& problem) {
  const Block& block = problem.blocks.back();
  if (!writer.may_lose() || problem.compliance[block.row_begin] > 0) return false;
  const double bound = std::max(std::abs(wanted.lo), std::abs(wanted.hi));
  const double* y = problem.y.data() + block.y_begin;
  if (!std::isfinite(bound) || std::any_of(y, y + block.width, [](double value) { return value != 0; })) return false;
  problem.compliance[block.row_begin] = kGivesWay / bound;
  double& rate = problem.b[block.row_begin];
  const bool slides = std::abs(rate) >= kStandsStill;
  rate = slides ? std::copysign(1.0, rate) : 0.0;
  return !slides;
}

// The same for the friction of a contact; returns whether a part of it is not determined.
bool LawRows::hold_friction(const ContactRow& contact, Problem& problem, WholeRows* whole) const {
  Block& block = problem.blocks[contact.block];
  const double G_nn = product(problem, block, 0, 0);
  if (!(G_nn > 0)) return false;  // nothing presses it
  double* b = problem.b.data() + block.row_begin;
  double* lambda = problem.lambda.data() + block.row_begin;
  const double press = std::max(lambda[0], kLeastPress / G_nn);
  bool undetermined = false;
  OwnColumns own;
  // Rows from `row` on, held along `count` of their directions n; returns nothing but what it writes.
  const auto hold = [&](int row, int rows, double mu, const double n[][2], int count) {
    double rate[2] = {}, speed2 = 0;
    for (int i = 0; i < count; ++i) {
      for (int k = 0; k < rows; ++k) rate[i] += n[i][k] * b[row + k];
      speed2 += rate[i] * rate[i];
    }
    const double speed = std::sqrt(speed2);
    const bool slides = speed >= kStandsStill, whole_held = count == rows;
    for (int i = 0; i < count; ++i) {
      own.add(row, n[i], rows, (slides && !whole_held ? kGivesWayAcross * speed : kFrictionGivesWay) / (mu * press));
      const double wanted = !slides ? 0 : whole_held ? rate[i] / speed : rate[i];
      double impulse = 0;
      for (int k = 0; k < rows; ++k) impulse += n[i][k] * lambda[row + k];
      for (int k = 0; k < rows; ++k) {
        b[row + k] += (wanted - rate[i]) * n[i][k];
        if (!slides) lambda[row + k] -= impulse * n[i][k];
      }
    }
    undetermined = undetermined || !slides;
  };
  const auto hold_disc = [&](int row, double mu, double square) {
    double n[2][2];
    if (!(mu > 0)) return;
    const int count = null_directions(product(problem, block, row, row), product(problem, block, row, row + 1),
                                      product(problem, block, row + 1, row + 1), kDegenerateBelow * square, n);
    if (count > 0) hold(row, 2, mu, n, count);
  };
  hold_disc(1, block.mu, contact.whole_linear);
  const double alone[1][2] = {{1, 0}};
  if (block.row_count >= 4 && block.mu_spin > 0 &&
      product(problem, block, 3, 3) < kDegenerateBelow * contact.whole_angular)
    hold(3, 1, block.mu_spin, alone, 1);
  if (block.row_count >= 6) hold_disc(4, block.mu_roll, contact.whole_angular);
  if (own.count > 0) widen(own, block, problem, whole);
  return undetermined;
}

void LawRows::note_if_driven_in(const ContactRow& contact, const Problem& problem) {
  const Block& block = problem.blocks[contact.block];
  const double depth = -points_[contact.point].gap, speed = -problem.b[block.row_begin];
  if (!(depth > driven_in_.depth && speed > 0) || product(problem, block, 0, 0) > 0) return;
  driven_in_ = {depth, speed, contact.point};
}

void LawRows::give_contacts_way(const RowContext& context, Problem& problem) {
  for (ContactRow& contact : contact_rows_) {
    if (contact.whole_linear == 0) continue;
    note_if_driven_in(contact, problem);
    if (problem.blocks[contact.block].row_count >= 3)
      contact.undetermined = hold_friction(contact, problem, context.whole_rows);
  }
}

bool LawRows::is_undetermined(const ContactRow& contact, const Problem& problem) const {
  return contact.undetermined && problem.lambda[problem.blocks[contact.block].row_begin] > 0;
}

int LawRows::undetermined_count(const Problem& problem) const {
  const auto contacts = std::count_if(contact_rows_.begin(), contact_rows_.end(),
                                      [&](const ContactRow& c) { return is_undetermined(c, problem); });
  return static_cast<int>(undetermined_.size()) + static_cast<int>(contacts);
}

std::string LawRows::bodies_of(const ModelData& model, int point) const {
  const auto body_of = [&](int shape) {
    const int body = model.contact_shapes[shape].body;
    return body < 0 ? std::string("the world") : fmt::format("'{}'", model.bodies[body].name);
  };
  return body_of(points_[point].shape_a) + " and " + body_of(points_[point].shape_b);
}

std::vector<std::string> LawRows::undetermined_names(const ModelData& model, const Problem& problem) const {
  std::vector<std::string> names;
  for (const int slot : undetermined_) names.push_back(name_of_item(model, slot));
  for (const ContactRow& contact : contact_rows_) {
    if (!is_undetermined(contact, problem)) continue;
    std::string name = "friction between " + bodies_of(model, contact.point);
    if (names.empty() || names.back() != name) names.push_back(std::move(name));
  }
  return names;
}

std::string LawRows::name_of_item(const ModelData& model, int slot) const {
  const Item& item = items_[slot];
  const auto owner = [&](const DofRef& dof, int joint) {
    return dof.tendon >= 0 ? fmt::format("tendon '{}'", model.tendons[dof.tendon].name)
                           : fmt::format("joint '{}'", joint >= 0 ? model.joints[joint].name : "");
  };
  switch (item.kind) {
    case Kind::kFriction:
      return "friction of " + owner(model.joint_frictions[item.index].dof, model.joint_frictions[item.index].joint);
    case Kind::kMotor:
      return fmt::format("motor '{}'", model.motors[item.index].name);
    case Kind::kSpring:
      return "the spring or damper of " + owner(model.row_springs[item.index].dof, -1);
    case Kind::kLimitLower:
      return "the lower limit of " + owner(model.limits[item.index].dof, model.limits[item.index].joint);
    case Kind::kLimitUpper:
      return "the upper limit of " + owner(model.limits[item.index].dof, model.limits[item.index].joint);
    case Kind::kBallLimit:
      return fmt::format("the limit of joint '{}'", model.joints[model.ball_limits[item.index].joint].name);
    case Kind::kRopeUpper:
    case Kind::kRopeLower:
      return fmt::format("distance '{}'", model.distances[item.index].name);
  }
  return {};
}

}  // namespace lipkin
