// Every row that is not bilateral: limits, joint friction, motors with a force limit, servos, springs of closures,
// ropes and contacts. Fills a Problem; where a row touches a cluster of bilateral rows, only what these leave of it.
#pragma once

#include <optional>

#include "collision/shape_gaps.hpp"
#include "constraints/bilateral_rows.hpp"
#include "constraints/block_writer.hpp"
#include "constraints/contact_frame.hpp"
#include "exec/thread_pool.hpp"
#include "lipkin/state.hpp"
#include "state/row_slots.hpp"

namespace lipkin {

// When unilateral rows act: before they touch, so that a step ends with the gap closed at most (their positions follow
// the new velocities), or once they are closed (their positions came first).
enum class ContactTiming { kAhead, kClosed };

// What a step knows when it asks for rows.
struct RowContext {
  const ModelData& model;
  const State& state;  // at the begin of the step: positions of the gaps, memory for the warm start
  Workspace& work;     // kinematics at state.q; tree factors
  const Whitener& whitener;
  const double* u_free;          // velocities without impulses
  const Motion<double>* V_free;  // the links' velocities that belong to them, world axes
  const MotorTargets& targets;   // at the end of the step
  double h;                      // [s]
  ContactTiming timing;
  double touching;                  // gaps below count as closed [m]
  const BilateralRows* eliminated;  // bilateral rows that are not part of the problem; null: none
  WholeRows* whole_rows;            // receives the rows before elimination; null: not wanted
  ThreadPool* threads;              // null: the calling one
};

// The deepest contact whose normal the bilateral rows leave no freedom, and whose bodies come closer.
struct DrivenIn {
  double depth = 0, speed = 0;  // [m], [m/s]
  int point = -1;               // -1: there is none
};

class LawRows {
 public:
  LawRows(const ModelData& model, const ZLayout& layout);

  std::size_t item_count() const { return items_.size(); }  // rows other than contacts
  bool empty() const { return items_.empty() && gaps_.empty(); }

  void collect(const RowContext& context, Problem& problem);

  // Limits that were too far away to act, and that velocities changed by du and dV would go through: they act in the
  // next collect. False: there are none.
  bool find_missed_limits(const RowContext& context, const double* du, const Motion<double>* dV);
  void forget_missed_limits() { missed_.assign(items_.size(), 0); }

  // After the solve: the impulses into the state's memory.
  void remember(const Problem& problem, double h, State& state);

  // The contacts that remember() has taken the place of since begin_step(), back into the state; where it has not, they
  // are there.
  void begin_step() { has_replaced_ = false; }
  void put_back_contacts(State& state) {
    if (has_replaced_) state.contacts.swap(replaced_);
    has_replaced_ = false;
  }

  // Of the last collect and solve: laws with a force that the motion does not determine, since nothing slides and
  // nothing gives way.
  int undetermined_count(const Problem& problem) const;
  const DrivenIn& driven_in() const { return driven_in_; }
  std::string bodies_of(const ModelData& model, int point) const;
  std::vector<std::string> undetermined_names(const ModelData& model, const Problem& problem) const;

  // The impulses in the state's memory as forces on links and joints, and those of motors.
  void react(const ModelData& model, const State& state, Workspace& work) const;

  // Work of the impulses of the last collect and solve over h; kinematics: of the linearisation.
  void add_work(const ModelData& model, const Problem& problem, double h, const SolveVelocities& velocities,
                const KinematicsWork& kinematics, StepWork& done) const;

  // Contacts that are too deep, and other rows whose gap is negative by more than `slop`, to be pushed out by pseudo
  // velocities: gap rates of factor / h. The rows are copied from `problem` and added to `corrections`.
  void collect_corrections(const Problem& problem, double h, double factor, double slop, Problem& corrections) const;

  double worst_penetration() const { return worst_penetration_; }  // of contacts, at the begin of the step [m], >= 0
  int contact_count() const { return contact_count_; }

 private:
  struct ContactRow {
    int point;  // into points_
    int block;
    const ContactMemory* memory;  // of the last step; null: it was not there. Until the rows are written
    // Largest squares of its rows before an elimination took its part: along directions, about them. 0: it took
    // nothing.
    double whole_linear = 0, whole_angular = 0;
    bool undetermined = false;  // its friction has a direction without freedom in which nothing slides
  };
  using Kind = RowKind;
  struct Item {  // one per slot of State::row_impulses
    Kind kind;
    int index;    // into the model's list of its kind
    int dof_row;  // -1: a rope or the limit of a ball joint
  };
  // A row between two links that opens where its gap grows.
  struct SpatialLimit {
    SpatialRows rows;
    double gap, restitution;
  };
  // How a row wants to move: b = rate - wanted, and its law.
  struct Wanted {
    bool active = true;
    double b = 0, compliance = 0, lo = 0, hi = 0;
    double gap = 0;  // unilateral rows
  };

  // Slower than this nothing slides: a hundred times the tolerance of the solvers [m/s] or [rad/s].
  static constexpr double kStandsStill = 1e-8;
  // Limits and contacts are seen at this many steps' worth of approach before they touch.
  static constexpr double kLookAhead = 2;
  static constexpr int kFetchAhead = 6;  // contacts: about as long as memory takes

  void collect_items(const RowContext& context, BlockWriter& writer, Problem& problem);
  void collect_contacts(const RowContext& context, BlockWriter& writer, Problem& problem);
  BlockWriter writer_for(const RowContext& context, Problem& problem) const;
  const ContactLaw& law_of(const ModelData& model, const ContactPoint& point) const;
  void fetch_ahead(const RowContext& context, int point) const;
  void fetch_rows_ahead(const Problem& problem) const;
  void add_contacts_in_parts(const RowContext& context, BlockWriter& writer, Problem& problem);
  bool acts(const RowContext& context, const ContactPoint& point) const;
  static bool pressed(const State& state, const ContactPoint& point);
  void open_contact(const RowContext& context, int point, BlockWriter& writer, Problem& problem);
  void write_contact(const RowContext& context, ContactRow& contact, BlockWriter& writer, Problem& problem) const;
  template <int lanes>
  void write_contact_rows(const RowContext& context, ContactRow& contact, const ContactLaw& law, BlockWriter& writer,
                          Problem& problem) const;
  const ContactMemory* memory_of(const State& state, const ContactPoint& point);
  static bool follows_from_motion(const BlockWriter& writer, const Wanted& wanted, Problem& problem);
  bool is_undetermined(const ContactRow& contact, const Problem& problem) const;
  std::string name_of_item(const ModelData& model, int slot) const;
  void note_if_driven_in(const ContactRow& contact, const Problem& problem);
  bool hold_friction(const ContactRow& contact, Problem& problem, WholeRows* whole) const;
  void give_contacts_way(const RowContext& context, Problem& problem);
  static void add_correction(const Problem& problem, const Block& from, double rate, Problem& corrections);
  static void start_from(const ContactMemory& memory, const ContactFrame& frame, double scale, int row_count,
                         double* lambda);
  static bool stays_closed(const RowContext& context, double gap, double rate_free, double near);
  static double wanted_rate(const RowContext& context, double gap, double rate_free, double rate_before,
                            double restitution);
  Wanted wanted_of(const RowContext& context, int slot, double rate, double rate_before) const;
  double rate_change(const RowContext& context, const RowSpringData& spring) const;
  static Wanted limit_wanted(const RowContext& context, int slot, double gap, double rate, double rate_before,
                             double restitution);
  void add_item_work(const ModelData& model, const Item& item, double impulse, double h,
                     const SolveVelocities& velocities, StepWork& done) const;
  void add_contact_work(const ModelData& model, const ContactRow& contact, const double* impulse, int row_count,
                        const SolveVelocities& velocities, const KinematicsWork& kinematics, StepWork& done) const;
  void add_joint_block(const RowContext& context, const Item& item, double sign, const Wanted& wanted, int slot,
                       BlockWriter& writer, Problem& problem);
  void add_spatial_block(const RowContext& context, const Item& item, int slot, BlockWriter& writer, Problem& problem);
  static SpatialLimit rope_limit(const DistanceData& distance, Kind kind, const KinematicsWork& kinematics);
  static SpatialLimit ball_limit(const BallLimitData& ball, const KinematicsWork& kinematics);
  static SpatialLimit spatial_limit(const ModelData& model, const Item& item, const KinematicsWork& kinematics);
  void finish_single(const RowContext& context, const Wanted& wanted, int slot, BlockWriter& writer, Problem& problem);

  // Where a motion leads without forces, for tendons that turn; only where there are some.
  struct Ahead {
    std::vector<double> q;
    KinematicsWork kinematics;
  };
  mutable std::optional<Ahead> ahead_;

  const ZLayout& layout_;
  std::vector<Item> items_;
  std::vector<DofRow> dof_rows_;
  ShapeGaps gaps_;
  struct ShapeOwner {
    int link, material;
  };
  std::vector<ShapeOwner> owner_;  // per contact shape: what every contact asks for, close together

  // Of the last collect: per block its item (contacts: -1) and gap.
  std::vector<int> block_item_;
  std::vector<double> block_gap_;
  std::vector<std::uint8_t> missed_;  // per item: a limit that would have been gone through
  std::span<const ContactPoint> points_;
  std::vector<std::uint8_t> acts_;  // per point
  std::vector<int> undetermined_;   // items
  DrivenIn driven_in_;
  std::vector<ContactRow> contact_rows_;
  std::size_t memory_cursor_ = 0;
  std::vector<ContactMemory> replaced_;  // by remember()
  bool has_replaced_ = false;
  int contact_count_ = 0;
  double worst_penetration_ = 0;
  std::vector<double> radius_;  // of a ball about each shape [m]
  std::vector<bool> flies_;     // per link: it gives way in every direction, no bilateral row holds it
  double near_ = 0;             // contacts closer than this act in any case [m]
};

}  // namespace lipkin
