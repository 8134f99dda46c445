#include "steppers/stepper_dopri5.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace lipkin {

namespace {

constexpr double kNodes[7] = {0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1};
constexpr double kA[7][6] = {{},
                             {1.0 / 5},
                             {3.0 / 40, 9.0 / 40},
                             {44.0 / 45, -56.0 / 15, 32.0 / 9},
                             {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
                             {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
                             {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};
// Difference of the two solutions' weights.
constexpr double kError[7] = {71.0 / 57600, 0, -71.0 / 16695, 71.0 / 1920, -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
// Continuous extension.
constexpr double kDense[7] = {-12715105075.0 / 11282082432.0,  0,
                              87487479700.0 / 32700410799.0,   -10690763975.0 / 1880347072.0,
                              701980252875.0 / 199316789632.0, -1453857185.0 / 822651844.0,
                              69997945.0 / 29380423.0};

// Step-size control: the new step is h / clamp(err^kAlpha / old^kBeta / safety).
constexpr double kBeta = 0.04, kAlpha = 0.2 - 0.75 * kBeta, kSafety = 0.9, kShrink = 5.0, kGrow = 0.1;
constexpr double kErrorFloor = 1e-4;

}  // namespace

StepperDopri5::StepperDopri5(const ModelData& model)
    : system_(model),
      y0_(system_.size()),
      y1_(system_.size()),
      y_(system_.size()),
      size_(system_.size()),
      dense_y_(system_.size()),
      end_(model) {
  for (auto& k : k_) k.resize(system_.size());
  for (auto& d : dense_) d.resize(system_.size());
}

// Hairer's starting step from the size of the solution and its derivative, a hundredth of their ratio; the controller
// corrects it within a few steps.
double StepperDopri5::first_step(const StepOptions& options) const {
  double size = 0, rate = 0;
  for (std::size_t i = 0; i < y0_.size(); ++i) {
    const double scale = options.absolute_tolerance + options.relative_tolerance * size_[i];
    size += (size_[i] / scale) * (size_[i] / scale);
    rate += (k_[0][i] / scale) * (k_[0][i] / scale);
  }
  const double guess = size < 1e-10 || rate < 1e-10 ? 1e-6 : 0.01 * std::sqrt(size / rate);
  return guess > 0 ? std::min(guess, 0.1) : 1e-6;  // what is too large to be squared gives no number
}

void StepperDopri5::run_stages(const ModelData& model, double t, double t_end, State& state, Workspace& work) {
  const double h = t_end - t;
  for (int s = 1; s < 7; ++s) {
    std::vector<double>& y = s == 6 ? y1_ : y_;
    for (std::size_t i = 0; i < y.size(); ++i) {
      double sum = 0;
      for (int j = 0; j < s; ++j) sum += kA[s][j] * k_[j][i];
      y[i] = y0_[i] + h * sum;
    }
    system_.evaluate(model, s < 5 ? t + kNodes[s] * h : t_end, y.data(), state, work, k_[s].data());
  }
}

double StepperDopri5::scaled_error(const StepOptions& options, double h) const {
  double sum = 0;
  for (std::size_t i = 0; i < y0_.size(); ++i) {
    double e = 0;
    for (int s = 0; s < 7; ++s) e += kError[s] * k_[s][i];
    const double size = std::max(size_[i], std::abs(y1_[i]));
    const double scale = options.absolute_tolerance + options.relative_tolerance * size;
    sum += (h * e / scale) * (h * e / scale);
  }
  return y0_.empty() ? 0 : std::sqrt(sum / static_cast<double>(y0_.size()));
}

void StepperDopri5::prepare_dense_output(double t, double h) {
  dense_t_ = t;
  dense_h_ = h;
  for (std::size_t i = 0; i < y0_.size(); ++i) {
    const double difference = y1_[i] - y0_[i], spline = h * k_[0][i] - difference;
    double last = 0;
    for (int s = 0; s < 7; ++s) last += kDense[s] * k_[s][i];
    dense_[0][i] = y0_[i];
    dense_[1][i] = difference;
    dense_[2][i] = spline;
    dense_[3][i] = difference - h * k_[6][i] - spline;
    dense_[4][i] = h * last;
  }
}

// y0 and the first stage: the last one of the step before where nothing has changed since. Local coordinates start
// anew, and at their centre d theta/dt = u.
void StepperDopri5::start(const ModelData& model, State& state, Workspace& work, StepReport& report) {
  const bool reuse = end_.matches(state);
  system_.begin(model, state, work, y0_.data());
  system_.sizes(model, size_.data());
  if (reuse) {
    std::swap(k_[0], k_[6]);
    std::copy(state.u.begin(), state.u.end(), k_[0].begin());
  } else {
    system_.evaluate_centre(model, state, work, k_[0].data());
    ++report.evaluations;
  }
  end_.forget();
}

StepReport StepperDopri5::step(const ModelData& model, const StepOptions& options, State& state, Workspace& work) {
  StepReport report;
  start(model, state, work, report);
  const double t = state.t;
  double wanted = state.step_size > 0 ? state.step_size : first_step(options);
  const double old_error = std::max(state.step_error, kErrorFloor);
  for (;;) {
    const bool last = t + 1.01 * wanted >= options.limit;
    const double t_end = last ? options.limit : t + wanted, h = t_end - t;
    run_stages(model, t, t_end, state, work);
    report.evaluations += 6;
    const double error = scaled_error(options, h);
    if (error <= 1) {
      const double factor = std::clamp(std::pow(error, kAlpha) / std::pow(old_error, kBeta) / kSafety, kGrow, kShrink);
      const double next = report.rejected > 0 ? std::min(h, h / factor) : h / factor;
      prepare_dense_output(t, h);
      system_.place(model, t_end, y1_.data(), state);
      end_.remember(state);
      state.step_size = last ? std::max(next, wanted) : next;
      state.step_error = error;
      return report;
    }
    ++report.rejected;
    const bool finite = std::isfinite(error);
    wanted = finite ? h / std::min(kShrink, std::pow(error, kAlpha) / kSafety) : 0.1 * h;
    if (!(t + 0.1 * wanted > t)) {
      system_.restore(t, state);
      (finite ? report.too_small : report.finite) = finite;
      return report;
    }
  }
}

// Hairer, Norsett, Wanner, eq. (II.6.12) in the nested form of their code.
void StepperDopri5::interpolate(const ModelData& model, double t, State& state) const {
  const double s = (t - dense_t_) / dense_h_, r = 1 - s;
  for (std::size_t i = 0; i < dense_y_.size(); ++i)
    dense_y_[i] = dense_[0][i] + s * (dense_[1][i] + r * (dense_[2][i] + s * (dense_[3][i] + r * dense_[4][i])));
  system_.place(model, t, dense_y_.data(), state);
}

}  // namespace lipkin
