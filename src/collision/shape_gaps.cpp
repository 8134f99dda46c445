#include "collision/shape_gaps.hpp"

namespace lipkin {

ShapeGaps::ShapeGaps(const ModelData& model) : X_WS_(model.contact_shapes.size()) {
  if (model.contact_shapes.empty()) return;
  std::vector<CollisionShape> shapes;
  for (const ContactShapeData& s : model.contact_shapes) shapes.push_back({s.geometry, s.link});
  collision_.emplace(std::move(shapes), model.filtered_shapes);
}

void ShapeGaps::place(const ModelData& model, const Transform<double>* X_WL) {
  for (std::size_t i = 0; i < X_WS_.size(); ++i)
    X_WS_[i] = X_WL[model.contact_shapes[i].link] * model.contact_shapes[i].X_LS;
}

}  // namespace lipkin
