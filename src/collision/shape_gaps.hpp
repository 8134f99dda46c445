// The gaps between a model's shapes, wherever its links are: the one way from poses of links to contact points. Who
// searches has one of his own, since points last until the next search.
#pragma once

#include <optional>

#include "collision/collision.hpp"
#include "model/model_data.hpp"

namespace lipkin {

class ShapeGaps {
 public:
  // Throws InvalidArgument where two shapes that could meet have no gap function.
  explicit ShapeGaps(const ModelData& model);

  bool empty() const { return !collision_; }  // there are no shapes that touch

  // Puts the shapes to where the links are.
  void place(const ModelData& model, const Transform<double>* X_WL);
  std::span<const Transform<double>> poses() const { return X_WS_; }  // where place() has put them

  // See Collision::update.
  std::span<const ContactPoint> find(double margin, ThreadPool* threads = nullptr) {
    if (empty()) return {};
    return collision_->update(X_WS_, margin, threads);
  }

  std::size_t tested() const { return collision_ ? collision_->tested_gaps() : 0; }  // gaps, by the last search

  // Both, for who wants to know what touches.
  std::span<const ContactPoint> touching(const ModelData& model, const Transform<double>* X_WL) {
    place(model, X_WL);
    return find(0);
  }

 private:
  std::optional<Collision> collision_;
  std::vector<Transform<double>> X_WS_;
};

}  // namespace lipkin
