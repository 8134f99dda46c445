// Whether two ways of saying the same mechanism give the same answer.
#pragma once

#include <map>
#include <optional>

#include "equivalence/restatements.hpp"

namespace lipkin::test {

struct Disagreement {
  Quantity quantity = Quantity::kPlace;
  std::string what;  // "joint.body1.u"
  int window = 0;    // 0: the start
  Eigen::Vector3d said_before = Eigen::Vector3d::Zero(), said_otherwise = Eigen::Vector3d::Zero();
  std::vector<double> relative;  // largest relative difference; of several steps, each half of the one before
};

enum class Verdict {
  kAgrees,
  kDisagrees,
  kNotApplicable,  // the restatement has nothing to say about this mechanism
  kRefused,        // said before the first step: this combination does not go together
  kFailed,         // the one runs, the other stops
  kUnconverged,    // the run itself says that its solver did not get there
  kNoReference     // the mechanism itself does not run
};
inline constexpr int kVerdictCount = 7;

struct Comparison {
  Verdict verdict = Verdict::kAgrees;
  std::string reason;
  std::optional<Disagreement> disagreement;
  double relative = 0;  // largest relative difference found
};

// One mechanism, run once for all its restatements.
class Comparer {
 public:
  explicit Comparer(Mechanism mechanism);
  Comparison compare(const Restatement& restatement, std::uint64_t seed);
  const Mechanism& mechanism() const { return mechanism_; }
  // Why the mechanism itself is nothing to compare with; empty: it is.
  std::string unfit();

 private:
  const Trace& reference(const Mechanism& mechanism, int halvings);
  Comparison compare_to_rounding(const Restated& restated);
  Comparison compare_by_steps(const Restated& restated);

  Mechanism mechanism_;
  std::vector<Entry> entries_;
  std::map<std::pair<CoordinateKind, int>, Trace> references_;
};

}  // namespace lipkin::test
