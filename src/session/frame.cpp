// Binary frames: little-endian, as docs/guide/viewer-protocol.md lays them out.
#include <algorithm>
#include <bit>
#include <cstring>

#include "session/session_impl.hpp"

namespace lipkin {

namespace {

static_assert(std::endian::native == std::endian::little, "frames are copied as they lie in memory");

constexpr std::uint32_t kMagic = 0x3146504C;  // "LPF1"
constexpr std::size_t kMostContacts = 4096;
constexpr std::uint32_t kPlaying = 1, kFailed = 4;

class FrameBytes {
 public:
  explicit FrameBytes(std::string& bytes) : bytes_(bytes) { bytes_.clear(); }

  template <class T>
  void put(T value) {
    char raw[sizeof(T)];
    std::memcpy(raw, &value, sizeof(T));
    bytes_.append(raw, sizeof(T));
  }
  void put_f32(const Eigen::Vector3d& v) {
    for (int k = 0; k < 3; ++k) put(static_cast<float>(v[k]));
  }
  void put_pose(const Pose& pose) {
    put_f32(pose.position);
    const Eigen::Quaterniond& q = pose.orientation;
    for (const double x : {q.w(), q.x(), q.y(), q.z()}) put(static_cast<float>(x));
  }
  void put_arrow(std::uint32_t kind, std::int32_t icon, const Eigen::Vector3d& point, const Eigen::Vector3d& vector) {
    put(kind), put(icon), put_f32(point), put_f32(vector);
  }

 private:
  std::string& bytes_;
};

void put_contacts(const Simulation& simulation, std::size_t count, FrameBytes& frame) {
  const State& state = simulation.state();
  const std::vector<ContactShapeData>& shapes = simulation.running_model().data().contact_shapes;
  const double per_step = state.impulse_step > 0 ? 1 / state.impulse_step : 0;
  for (std::size_t i = 0; i < count; ++i) {
    const ContactMemory& contact = state.contacts[i];
    frame.put_f32(contact.point);
    frame.put_f32(per_step * (contact.normal * contact.direction + contact.tangential));
    frame.put(static_cast<std::int32_t>(shapes[contact.shape_a].body));
    frame.put(static_cast<std::int32_t>(shapes[contact.shape_b].body));
  }
}

Eigen::Vector3d world(const Pose& pose, const Eigen::Vector3d& p) { return pose.position + pose.orientation * p; }

void put_drag(const ActiveDrag& drag, const BodyMotion& motion, FrameBytes& frame) {
  const Eigen::Vector3d p = world(motion.pose, drag.point);
  const Eigen::Vector3d v = motion.velocity + motion.angular_velocity.cross(p - motion.pose.position);
  frame.put_arrow(0, -1, p, drag.stiffness * (drag.target - p) - drag.damping * v);
}

}  // namespace

void Session::Impl::write_frame(std::uint32_t flags, float real_time_factor, std::string& bytes) {
  const State& state = simulation.state();
  const std::span<const double> now_watched = values();
  const int body_count = simulation.model().body_count();
  const std::size_t contacts = std::min(state.contacts.size(), kMostContacts);
  const std::size_t arrows = state.drags.size() + design->icons.size();
  FrameBytes frame(bytes);
  frame.put(kMagic);
  frame.put(versions.model);
  frame.put(state.step_count);
  frame.put(state.t);
  frame.put(real_time_factor);
  frame.put(static_cast<float>(speed));
  frame.put(flags | (playing ? kPlaying : 0) | (failure.empty() ? 0 : kFailed));
  frame.put(static_cast<std::uint32_t>(timeline.current_index()));
  frame.put(static_cast<std::uint32_t>(body_count));
  frame.put(static_cast<std::uint32_t>(contacts));
  frame.put(static_cast<std::uint32_t>(now_watched.size()));
  frame.put(versions.watches);
  frame.put(static_cast<std::uint32_t>(arrows));
  frame.put(static_cast<float>(simulation.statistics().position_violation));
  for (const double value : now_watched) frame.put(value);
  simulation.body_motions(motions);
  for (const BodyMotion& motion : motions) frame.put_pose(motion.pose);
  put_contacts(simulation, contacts, frame);
  for (const ActiveDrag& drag : state.drags) put_drag(drag, motions[drag.body], frame);
  const std::span<const double> watched = simulation.watched();
  for (std::size_t i = 0; i < design->icons.size(); ++i) {
    const Icon& icon = design->icons[i];
    const double factor = watched[icon_watch + i];
    const auto index = static_cast<std::int32_t>(i);
    if (icon.kind == IconKind::kMotion) {
      const JointSpec& joint = joint_named(icon.joint);
      const JointHome at = design->home(joint);
      const Pose parent = body_pose(joint.parent);
      frame.put_arrow(
          3, index, world(parent, at.frame_in_parent.position),
          parent.orientation * (at.frame_in_parent.orientation * (factor * icon.value * Eigen::Vector3d::UnitZ())));
      continue;
    }
    const Pose& pose = motions[simulation.model().body(icon.body)].pose;
    const Eigen::Vector3d along =
        icon.frame == ForceFrame::kBody ? Eigen::Vector3d(pose.orientation * icon.vector) : icon.vector;
    frame.put_arrow(icon.kind == IconKind::kForce ? 1 : 2, index, world(pose, icon.point), factor * along);
  }
}

}  // namespace lipkin
