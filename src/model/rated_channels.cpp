#include "model/rated_channels.hpp"

namespace lipkin {

bool has_rate(ChannelKind kind) {
  switch (kind) {
    case ChannelKind::kTime:
    case ChannelKind::kJointPosition:
    case ChannelKind::kClosurePosition:
    case ChannelKind::kClosureQuaternion:
    case ChannelKind::kPointPosition:
    case ChannelKind::kPointQuaternion:
    case ChannelKind::kPointAxis:
    case ChannelKind::kRelativePosition:
    case ChannelKind::kRelativeQuaternion:
    case ChannelKind::kRelativeAxis:
    case ChannelKind::kSubtreeMass:
    case ChannelKind::kSubtreeCenter:
    case ChannelKind::kCenterOfMass:
    case ChannelKind::kSpringLength:
    case ChannelKind::kDistanceLength:
    case ChannelKind::kInput:
    case ChannelKind::kGravity:
      return true;
    default:
      return false;
  }
}

}  // namespace lipkin
