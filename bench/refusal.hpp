#pragma once

#include <stdexcept>

namespace lipkin::bench {

// Thrown by an engine that cannot represent the model; what() says why.
class Refusal : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace lipkin::bench
