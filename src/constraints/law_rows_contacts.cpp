#include <algorithm>
#include <cmath>

#include "base/fetch.hpp"
#include "base/infinity.hpp"
#include "constraints/law_rows.hpp"
#include "model/eigen_convert.hpp"

namespace lipkin {

namespace {

// A contact that slips less than this when it is first seen sticks, and must overcome the static friction [m/s].
constexpr double kStickSpeed = 1e-6;
// The part of the nearness at which contacts act that is left for those that bounce, or must be closed already.
constexpr double kTouching = 1e-4;

constexpr int kContactsToFetch = 1000;  // fewer stay close to the processor

// Contacts whose rows a thread is worth waking for: each takes some 100 ns.
constexpr int kContactsWorthAThread = 200;

// Velocity of the second link's point against the first one's.
LIPKIN_INLINE Vec3<double> slip_of(const ContactPoint& p, const KinematicsWork& k, const Motion<double>* V, int link_a,
                                   int link_b) {
  return V[link_b].v + cross(V[link_b].w, p.p_B - k.X_WL[link_b].p) - V[link_a].v -
         cross(V[link_a].w, p.p_A - k.X_WL[link_a].p);
}

bool before(const ContactMemory& m, const ContactPoint& p) {
  if (m.shape_a != p.shape_a) return m.shape_a < p.shape_a;
  if (m.shape_b != p.shape_b) return m.shape_b < p.shape_b;
  return m.feature < p.feature;
}

bool is_of(const ContactMemory& m, const ContactPoint& p) {
  return m.shape_a == p.shape_a && m.shape_b == p.shape_b && m.feature == p.feature;
}

}  // namespace

void LawRows::collect_contacts(const RowContext& context, BlockWriter& writer, Problem& problem) {
  const KinematicsWork& k = context.work.kinematics;
  gaps_.place(context.model, k.X_WL.data());
  const bool ahead = context.timing == ContactTiming::kAhead;
  double fastest = 0;  // where positions came first: what the step adds, which may close again what was closed
  for (std::size_t i = 0; i < owner_.size() && (ahead || !context.state.contacts.empty()); ++i) {
    const int link = owner_[i].link;
    if (link == 0) continue;
    Motion<double> V = context.V_free[link];
    if (!ahead) V = V - k.V_WL[link];
    const double turning = radius_[i] < kInfinity ? radius_[i] * norm(V.w) : 0;
    fastest = std::max(fastest, norm(V.v + cross(V.w, gaps_.poses()[i].p - k.X_WL[link].p)) + turning);
  }
  const double margin = (ahead ? near_ : kTouching * near_) + kLookAhead * fastest * context.h;
  points_ = gaps_.find(margin, context.threads);
  memory_cursor_ = 0;
  for (const ContactPoint& p : points_) worst_penetration_ = std::max(worst_penetration_, -p.gap);
  if (thread_count_of(context.threads) > 1) {
    add_contacts_in_parts(context, writer, problem);
  } else {
    const int point_count = static_cast<int>(points_.size());
    const bool fetches = point_count >= kContactsToFetch;
    for (int i = 0; i < point_count; ++i) {
      if (fetches) fetch_ahead(context, i), fetch_rows_ahead(problem);
      if (!acts(context, points_[i])) continue;
      open_contact(context, i, writer, problem);
      write_contact(context, contact_rows_.back(), writer, problem);
    }
  }
  contact_count_ = static_cast<int>(contact_rows_.size());
}

// The same in stages: which contacts act, where their rows stand, and the rows.
void LawRows::add_contacts_in_parts(const RowContext& context, BlockWriter& writer, Problem& problem) {
  const int point_count = static_cast<int>(points_.size());
  acts_.resize(points_.size());
  in_parts(context.threads, point_count, kContactsWorthAThread, [&](int, int begin, int end) {
    for (int i = begin; i < end; ++i) acts_[i] = acts(context, points_[i]);
  });
  for (int i = 0; i < point_count; ++i)
    if (acts_[i]) open_contact(context, i, writer, problem);
  in_parts(context.threads, static_cast<int>(contact_rows_.size()), kContactsWorthAThread,
           [&](int, int begin, int end) {
             BlockWriter mine = writer_for(context, problem);
             for (int i = begin; i < end; ++i) {
               fetch_ahead(context, contact_rows_[i].point);
               write_contact(context, contact_rows_[i], mine, problem);
             }
           });
}

// What a contact needs is asked for while contacts before it are worked on, one thing after the other: the contact, its
// second link, which may be any, and what that points to.
void LawRows::fetch_ahead(const RowContext& context, int point) const {
  const auto second_link = [&](int i) { return owner_[points_[i].shape_b].link; };
  const int point_count = static_cast<int>(points_.size());
  const int near = point + kFetchAhead, far = near + kFetchAhead, farther = far + kFetchAhead;
  if (farther + kFetchAhead < point_count) fetch(points_[farther + kFetchAhead]);
  if (farther < point_count) fetch(owner_[points_[farther].shape_b]);
  if (far < point_count) {
    const int link = second_link(far);
    __builtin_prefetch(&context.model.links[link]);
    layout_.fetch_path(link);
  }
  if (near >= point_count) return;
  const auto fetch_link = [&](int link) {
    fetch(context.work.kinematics.X_WL[link]);
    fetch(context.work.kinematics.V_WL[link]);
    fetch(context.V_free[link]);
    context.whitener.fetch_for(context.model.links[link], context.work);
    fetch(*layout_.path_begin(link));
  };
  // Contacts come sorted: those of one first link follow each other.
  if (points_[near].shape_a != points_[near - 1].shape_a) fetch_link(owner_[points_[near].shape_a].link);
  fetch_link(second_link(near));
  if (memory_cursor_ + kFetchAhead < context.state.contacts.size())
    fetch(context.state.contacts[memory_cursor_ + kFetchAhead]);
}

// Where the rows of a contact will stand that is as far ahead; a processor follows only so many lists by itself.
void LawRows::fetch_rows_ahead(const Problem& problem) const {
  constexpr int kRow = 12;  // values of a row between two free bodies
  fetch_behind<3 * kRow>(problem.y, kFetchAhead * 3 * kRow);
  fetch_behind<1>(problem.blocks, kFetchAhead);
  fetch_behind<1>(contact_rows_, kFetchAhead);
  fetch_behind<1>(problem.b, 3 * kFetchAhead);
  fetch_behind<1>(problem.compliance, 3 * kFetchAhead);
  fetch_behind<1>(problem.lambda, 3 * kFetchAhead);
  fetch_behind<1>(problem.runs, 2 * kFetchAhead);
  fetch_behind<1>(block_gap_, kFetchAhead);
  fetch_behind<1>(block_item_, kFetchAhead);
}

const ContactLaw& LawRows::law_of(const ModelData& model, const ContactPoint& p) const {
  return model.contact_laws[owner_[p.shape_a].material * model.materials.size() + owner_[p.shape_b].material];
}

// Whether a contact pressed in the last step.
bool LawRows::pressed(const State& state, const ContactPoint& p) {
  const auto found = std::lower_bound(state.contacts.begin(), state.contacts.end(), p, before);
  return found != state.contacts.end() && is_of(*found, p) && found->normal > 0;
}

// Whether a contact is near enough, or comes in fast enough, to matter in the step.
bool LawRows::acts(const RowContext& context, const ContactPoint& p) const {
  const ContactLaw& law = law_of(context.model, p);
  const bool ahead = context.timing == ContactTiming::kAhead;
  // What bounces must come in by itself: a row that waits for the push of another impact would swallow it.
  const double near = ahead && law.restitution <= 0 ? near_ : kTouching * near_;
  if (p.gap <= near) return true;
  if (!ahead && !pressed(context.state, p)) return false;
  const KinematicsWork& k = context.work.kinematics;
  const int a = owner_[p.shape_a].link, b = owner_[p.shape_b].link;
  const double rate_free = dot(p.normal, slip_of(p, k, context.V_free, a, b));
  if (!ahead) return stays_closed(context, p.gap, rate_free, near);
  const double rate_before = dot(p.normal, slip_of(p, k, k.V_WL.data(), a, b));
  const double speed = std::max({-rate_free, -rate_before, 0.0});
  return p.gap <= near + kLookAhead * context.h * speed;
}

void LawRows::open_contact(const RowContext& context, int index, BlockWriter& writer, Problem& problem) {
  const ContactPoint& p = points_[index];
  const ContactLaw& law = law_of(context.model, p);
  const int link_a = owner_[p.shape_a].link, link_b = owner_[p.shape_b].link;
  const int row_count = law.rolling_friction > 0 ? 6 : law.spinning_friction > 0 ? 4 : law.static_friction > 0 ? 3 : 1;
  contact_rows_.push_back({index, static_cast<int>(problem.blocks.size()), memory_of(context.state, p), 0, 0, false});
  writer.open(LawKind::kContact, row_count, {link_a, link_b});
  if (!contact_rows_.back().memory || context.state.impulse_step <= 0) problem.is_familiar = false;
  block_item_.push_back(-1);
  block_gap_.push_back(p.gap);
}

void LawRows::write_contact(const RowContext& context, ContactRow& contact, BlockWriter& writer,
                            Problem& problem) const {
  const ContactLaw& law = law_of(context.model, points_[contact.point]);
  if (problem.blocks[contact.block].row_count > 4) {
    write_contact_rows<8>(context, contact, law, writer, problem);
  } else {
    write_contact_rows<4>(context, contact, law, writer, problem);
  }
}

template <int lanes>
void LawRows::write_contact_rows(const RowContext& context, ContactRow& contact, const ContactLaw& law,
                                 BlockWriter& writer, Problem& problem) const {
  const ContactPoint& p = points_[contact.point];
  const KinematicsWork& k = context.work.kinematics;
  const int link_a = owner_[p.shape_a].link, link_b = owner_[p.shape_b].link;
  Block& block = problem.blocks[contact.block];
  const int row_count = block.row_count;
  const ContactFrame frame(p.normal);
  RowsBeside<lanes> rows;
  if (row_count >= 3) {
    rows.set_linear(link_a, link_b, k, {p.normal, frame.t1, frame.t2}, p.p_A, p.p_B);
  } else {
    rows.clear(link_a, link_b);
    rows.add_linear(k, p.normal, p.p_A, p.p_B);
  }
  if (row_count >= 4) rows.add_angular(p.normal);
  if (row_count >= 6) rows.add_angular(frame.t1), rows.add_angular(frame.t2);
  const Vec3<double> slip_free = slip_of(p, k, context.V_free, link_a, link_b);
  const Vec3<double> slip_before = slip_of(p, k, k.V_WL.data(), link_a, link_b);
  const Vec3<double> turn = context.V_free[link_b].w - context.V_free[link_a].w;
  const double rate[6] = {dot(p.normal, slip_free), dot(frame.t1, slip_free), dot(frame.t2, slip_free),
                          dot(p.normal, turn),      dot(frame.t1, turn),      dot(frame.t2, turn)};
  const double rate_before = dot(p.normal, slip_before);
  const ContactMemory* memory = contact.memory;
  // Later it slips where it moves at all, and its friction was at the limit.
  const double least = memory ? kStandsStill : kStickSpeed;
  const Vec3<double> across = slip_before - rate_before * p.normal;
  const bool slips = (!memory || memory->slips) && dot(across, across) > least * least;
  block.mu = slips ? law.friction : law.static_friction;
  block.mu_spin = law.spinning_friction;
  block.mu_roll = law.rolling_friction;
  double* out = problem.b.data() + block.row_begin;
  for (int r = 0; r < row_count; ++r) out[r] = rate[r];
  const double near = kTouching * near_;
  out[0] -= context.timing == ContactTiming::kClosed && p.gap > near
                ? (near - p.gap) / context.h
                : wanted_rate(context, p.gap, rate[0], rate_before, law.restitution);
  writer.resume(contact.block, {link_a, link_b});
  writer.add(rows);
  writer.close();
  if (writer.may_lose() && !flies_[link_a] && !flies_[link_b]) {
    const double* whole = writer.whole_squares();
    contact.whole_linear = *std::max_element(whole, whole + std::min(row_count, 3));
    contact.whole_angular = row_count > 3 ? *std::max_element(whole + 3, whole + row_count) : 0;
  }
  if (memory && context.state.impulse_step > 0)
    start_from(*memory, frame, context.h / context.state.impulse_step, row_count,
               problem.lambda.data() + block.row_begin);
  contact.memory = nullptr;  // the state forgets it after the solve
}

// Contacts come in the order of the memory: one pass through it serves them all.
const ContactMemory* LawRows::memory_of(const State& state, const ContactPoint& p) {
  const std::vector<ContactMemory>& memory = state.contacts;
  while (memory_cursor_ < memory.size() && before(memory[memory_cursor_], p)) ++memory_cursor_;
  if (memory_cursor_ == memory.size()) return nullptr;
  const ContactMemory& m = memory[memory_cursor_];
  return is_of(m, p) ? &m : nullptr;
}

void LawRows::start_from(const ContactMemory& m, const ContactFrame& frame, double scale, int row_count,
                         double* lambda) {
  const Vec3<double> tangential = from_eigen(m.tangential), rolling = from_eigen(m.rolling);
  lambda[0] = scale * m.normal;
  if (row_count >= 3) lambda[1] = scale * dot(frame.t1, tangential), lambda[2] = scale * dot(frame.t2, tangential);
  if (row_count >= 4) lambda[3] = scale * m.spin;
  if (row_count >= 6) lambda[4] = scale * dot(frame.t1, rolling), lambda[5] = scale * dot(frame.t2, rolling);
}

}  // namespace lipkin
