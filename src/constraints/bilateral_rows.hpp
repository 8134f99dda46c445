// The bilateral rows of a model: loop closures, gears, rods and prescribed motions. They hold on positions and
// velocities, are eliminated exactly cluster by cluster, and are what projection closes.
#pragma once

#include <algorithm>

#include "constraints/bilateral_cluster.hpp"
#include "constraints/step_work.hpp"
#include "constraints/whitener.hpp"
#include "lipkin/state.hpp"
#include "model/bilateral_laws.hpp"
#include "tree/closure_rows.hpp"

namespace lipkin {

// Pairs of links held together by bilateral rows.
std::vector<std::pair<int, int>> bilateral_links(const ModelData& model);

// What prescribed motions ask for at one time, one value per motor of the model: coordinate and its rate. The
// coordinate of a prescribed speed is where lead_speeds() has said; NaN: wherever it is, or it has none.
struct MotorTargets {
  std::vector<double> value, rate;
  std::vector<double> effort;  // part of max_force, 0 to 1
};

class BlockWriter;

// Where a joint that closes a loop stands in its scene.
SourceLocation where_of_closure(const ModelData& model, int closure);

class BilateralRows {
 public:
  BilateralRows(const ModelData& model, const ZLayout& layout);

  int row_count() const { return row_count_; }

  // Name of the item that has a row, for messages: "loop 'C'", "gear 'fingers'".
  std::string owner_of(const ModelData& model, int row) const;
  // How far that item is open, of its lengths or its angles, as the row is one of them [m] or [rad].
  double opening(const double* gaps, int row) const;
  SourceLocation where_of(const ModelData& model, int row) const;  // of that item in its scene
  bool is_length(int row) const { return is_length_[row]; }        // the gap is a length [m], otherwise an angle [rad]
  int motor_of(int row) const;                             // whose prescribed motion it is; -1: a row of another kind
  bool is_speed(int row) const { return is_speed_[row]; }  // a motor prescribes a speed, not a coordinate

  // After factor(): the rows that are solved together with one, and what it is over their cluster.
  struct RowRange {
    int begin, count;
  };
  RowRange rows_beside(int row) const;
  std::vector<double> whitened(int row) const;

  // The frames of the model's closures, which gaps() and update() go by: of these poses.
  void take_frames(const ModelData& model, const Transform<double>* X_WL);
  const std::vector<ClosureFrames>& frames() const { return frames_; }

  // Position gaps at the given poses. closure_q: in: near those poses (turns); coordinates that
  // the gaps depend on are updated.
  void gaps(const ModelData& model, const Transform<double>* X_WL, const double* q, const MotorTargets& targets,
            double* closure_q, double* g) const;

  // Where velocities u lead the coordinates of prescribed speeds within h, into the targets' values; V_WL belongs to u,
  // q, closure_q and the rows to where they start. Corrections of positions leave these coordinates there.
  bool has_speeds() const { return has_speeds_; }
  bool speeds_need_links() const { return speeds_need_links_; }
  void lead_speeds(const ModelData& model, double h, const State& state, const double* u, const Motion<double>* V_WL,
                   MotorTargets& targets) const;

  // Rows at the poses of work.kinematics, which are those of q, and their factorisation; the whitener has factored M
  // there.
  void update(const ModelData& model, const KinematicsWork& kinematics, const double* q, const double* closure_q);
  void factor(const ModelData& model, const Whitener& whitener, Workspace& work);

  // Rates of the gaps (what a prescribed motion asks for is subtracted), at the linearisation's q.
  void rates(const double* u, const Motion<double>* V_WL, const MotorTargets& targets, double* gamma) const;

  // As blocks of a problem, for solvers that take every row as it comes; b is left to the caller.
  void write(BlockWriter& writer) const;

  // z of the shortest impulse that changes the rates by rhs; z is set over the clusters.
  void solve(const double* rhs, double* z);

  // Impulses of least norm that change the rates by rhs.
  void solve_impulses(const double* rhs, double* lambda);

  // Y z over the clusters.
  void rates_of(const double* z, double* gamma) const;

  // z of impulses of the rows: Y' times them; z is zero over the clusters before.
  void push(const double* impulses, double* z) const;

  // Forces of the rows on links and joints, and those of prescribed motions; work.kinematics has the state's poses.
  void react(const ModelData& model, const State& state, const double* forces, Workspace& work) const;

  // Work of the rows' impulses in a solve.
  void add_work(const double* impulses, const SolveVelocities& velocities, StepWork& done) const;

  // Work of the impulses of prescribed motions at velocities u.
  double motor_work(const double* impulses, const double* u, const Motion<double>* V_WL) const;

  // Removes what the bilateral rows can do from a row over a cluster.
  void project_out(int cluster, double* row) { clusters_[cluster].project_out(row); }

  // For rows of other laws: the form of a cluster, and the number that its tree has for a link.
  const BilateralCluster& cluster(int c) const { return clusters_[c]; }
  int node_of_link(int link) const { return node_of_link_[link]; }

  // What a solver of these rows leaves in z becomes z everywhere.
  void expand(double* z) {
    for (BilateralCluster& c : clusters_) c.expand(z + c.z().begin);
  }
  bool any_reduced() const {
    return std::any_of(clusters_.begin(), clusters_.end(), [](const BilateralCluster& c) { return c.is_reduced(); });
  }

 private:
  enum class Kind { kClosure, kGear, kRod, kMotor };
  struct Item {
    Kind kind;
    int index;  // into the model's list of its kind
    int cluster, row_begin, row_count;
    int dof_row = -1;  // gear: the follower's row, then the leader's; motor: its row
    int spatial = -1;  // closure, rod
    int group = -1;    // of its cluster's tree; -1: there is none
  };

  void find_measured(const ModelData& model);
  void add_items(const ModelData& model, const ZLayout& layout);
  void clear_rounding(const Item& item, const Whitener& whitener);
  void whiten(const ModelData& model, const Item& item, const Whitener& whitener, Workspace& work);
  void whiten_dof(const ModelData& model, const DofRow& row, double impulse, const Whitener& whitener, Workspace& work,
                  double* y) const;
  void choose_forms(const ModelData& model, const ZLayout& layout);
  bool grow_tree(const ModelData& model, const ZLayout& layout, int cluster);
  std::vector<BilateralGroup> groups_of(const ModelData& model, int cluster) const;
  BilateralGroup group_of(const ModelData& model, const Item& item) const;
  std::vector<int> links_of(const Item& item) const;
  double* dense_row(const Item& item, int r) {
    BilateralCluster& cluster = clusters_[item.cluster];
    return cluster.dense_row(item.row_begin + r - cluster.row_begin());
  }
  void whiten_by_node(const ModelData& model, const Item& item, const Whitener& whitener, Workspace& work);

  int row_count_ = 0;
  std::vector<int> measured_closures_, measured_tendons_;
  std::vector<ClosureFrames> frames_;  // per closure of the model
  std::vector<Item> items_;            // cluster by cluster
  std::vector<BilateralCluster> clusters_;
  std::vector<int> node_of_link_;
  std::vector<DofRow> dof_rows_;
  std::vector<SpatialRows> spatial_;
  std::vector<double> gear_slope_;  // per gear of the model, at the linearisation's q
  std::vector<bool> is_length_, is_speed_;
  bool has_speeds_ = false, speeds_need_links_ = false;
};

}  // namespace lipkin
