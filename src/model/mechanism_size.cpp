#include "model/mechanism_size.hpp"

#include <algorithm>

namespace lipkin {

// Where joints and points stand in the world does not count: a mechanism is as large wherever it is.
double mechanism_size(const ModelData& model) {
  double size = 0;
  const auto take = [&](int link, const Vec3<double>& p) {
    if (link > 0) size = std::max(size, norm(p));
  };
  for (std::size_t i = 1; i < model.links.size(); ++i) {
    take(model.links[i].parent, model.links[i].X_PF.p);
    const RigidInertia<double>& inertia = model.rigid_inertia[i];
    if (inertia.m > 0) size = std::max(size, norm((1 / inertia.m) * inertia.h));
  }
  for (const ClosureData& c : model.closures) take(c.link_a, c.X_AF.p), take(c.link_b, c.X_BM.p);
  for (const DistanceData& d : model.distances) take(d.a.link, d.a.p_L), take(d.b.link, d.b.p_L);
  return size > 0 ? size : 1;
}

}  // namespace lipkin
