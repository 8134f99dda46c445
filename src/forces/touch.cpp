#include "forces/touch.hpp"

#include <algorithm>
#include <limits>

#include "collision/ray.hpp"
#include "model/eigen_convert.hpp"

namespace lipkin {

double touch_force(const ModelData& model, const State& state, const PointData& point, const Transform<double>& X) {
  const ZoneSpec& zone = model.zones[point.zone];
  double sum = 0;
  for (const ContactMemory& m : state.contacts) {
    const int a = model.contact_shapes[m.shape_a].body, b = model.contact_shapes[m.shape_b].body;
    if (m.normal <= 0 || (a != point.body && b != point.body)) continue;
    const Vec3<double> outward = from_eigen(a == point.body ? m.direction : Eigen::Vector3d(-m.direction));
    const Vec3<double> origin = transpose_times(X.R, from_eigen(m.point) - X.p);
    if (ray_meets(zone, {origin, transpose_times(X.R, outward)})) sum += m.normal;
  }
  return state.impulse_step > 0 ? sum / state.impulse_step : 0.0;
}

double ray_range(const ModelData& model, const KinematicsWork& kinematics, const PointData& point,
                 const Transform<double>& X) {
  double nearest = std::numeric_limits<double>::infinity();
  const auto look = [&](const std::vector<ShapeSpec>& shapes, const Transform<double>& X_WB) {
    for (const ShapeSpec& shape : shapes) {
      if (shape.color[3] == 0) continue;
      const Transform<double> X_WS = X_WB * from_eigen(shape.pose);
      const Ray ray = {transpose_times(X_WS.R, X.p - X_WS.p), transpose_times(X_WS.R, X.R.column(2))};
      nearest = std::min(nearest, ray_distance(shape.geometry, ray));
    }
  };
  if (point.body >= 0) look(model.world_shapes, Transform<double>::identity());
  for (int b = 0; b < static_cast<int>(model.bodies.size()); ++b) {
    const BodyData& body = model.bodies[b];
    if (b != point.body) look(body.shapes, kinematics.X_WL[body.link] * body.X_LB);
  }
  return nearest < std::numeric_limits<double>::infinity() ? nearest : -1;
}

}  // namespace lipkin
