// What a format has no word for, said as warnings: each kind with how many values or parts of it are left out.
#pragma once

#include <string>
#include <vector>

#include "lipkin/scene.hpp"
#include "model/model_compiler.hpp"

namespace lipkin {

class LossList {
 public:
  LossList(std::string format, std::vector<Diagnostic>& warnings) : format_(std::move(format)), warnings_(warnings) {}

  // Nothing is said of none.
  void add(std::size_t count, const std::string& what);

 private:
  std::string format_;
  std::vector<Diagnostic>& warnings_;
};

// What neither URDF nor MJCF has.
void add_common_losses(const Scene& scene, LossList& losses);

// How many of these numbers are not `none`.
std::size_t count_other_than(double none, const std::vector<double>& values);

}  // namespace lipkin
