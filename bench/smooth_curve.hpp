// The third paper's section 6.4, as a curve: spheres in a cup by time stepping with rigid contact against a multistep
// integrator with stiff springs for contacts, error over computing time. Each is measured against a far finer solution
// of its own problem, since the two problems differ; how far is printed too. Compared at a time when every layer has
// begun to touch and single impacts have not yet made the motion unpredictable.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "options.hpp"

namespace lipkin::bench {

inline constexpr const char* kSmoothCurveName = "smooth-against-rigid";

struct CurvePoint {
  std::string curve, setting;  // "moreau", "dt 5e-05"
  bool rigid = false;
  double cpu = 0;    // [s]
  double error = 0;  // root mean square of the positions' [m]
  long steps = 0, rejected = 0, evaluations = 0;
  std::string state_hash;
  std::string problem;  // what went wrong; empty: nothing
};

// A whole run of the scene: the paper's Table 7.
struct WholeRun {
  std::string setting;
  double cpu = 0;  // [s]
  std::string problem;
};

struct SmoothCurve {
  std::vector<CurvePoint> points;  // curve after curve
  std::vector<WholeRun> whole;     // time stepping first
  double difference = 0;           // of the two references [m]
  std::string plot;                // file written; empty: none
};

SmoothCurve measure_smooth_curve(const Options& options);
void print(const SmoothCurve& curve);
void add_json_rows(const SmoothCurve& curve, nlohmann::json& rows);

// Computing time at which a curve reaches an error, between its points along straight lines of the logarithms; NaN
// where it does not.
double time_at_error(const std::vector<CurvePoint>& points, const std::string& curve, double error);

}  // namespace lipkin::bench
