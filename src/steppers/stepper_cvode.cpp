#include "steppers/stepper_cvode.hpp"

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_spgmr.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "base/check.hpp"
#include "forces/regularised_forces.hpp"
#include "lipkin/error.hpp"
#include "steppers/ambient_system.hpp"
#include "steppers/implicit_contacts.hpp"
#include "steppers/state_stamp.hpp"
#include "steppers/sundials_parts.hpp"

namespace lipkin {

namespace {

// Beyond this size a dense Jacobian by differences, one evaluation per column, costs more than iterations.
constexpr int kLargestDense = 200;

// Earlier iterates that fixed-point iteration is accelerated with (Anderson 1965).
constexpr int kAndersonDepth = 2;

constexpr double kNever = 1e300;                                             // [s]
constexpr double kUnresolved = 16 * std::numeric_limits<double>::epsilon();  // steps over t that lead nowhere

void check_flag(int flag, const char* what) {
  if (flag < 0) throw InternalError(std::string("SUNDIALS: ") + what + " failed");
}

void keep_quiet(int, const char*, const char*, char*, void*) {}

// Nothing else pulls harder the further or faster it goes: then the contacts' linearisation is Newton's matrix. With
// friction it lacks that friction follows the normal force.
bool only_contacts_are_stiff(const ModelData& model) {
  const auto none = [](const std::vector<double>& values) {
    return std::all_of(values.begin(), values.end(), [](double x) { return x == 0; });
  };
  const bool frictionless =
      std::all_of(model.contact_laws.begin(), model.contact_laws.end(), [](const ContactLaw& law) {
        return law.friction == 0 && law.rolling_friction == 0 && law.spinning_friction == 0;
      });
  return frictionless && model.springs.empty() && model.bushings.empty() && model.joint_frictions.empty() &&
         none(model.stiffness) && none(model.damping);
}

double* data_of(N_Vector v) { return N_VGetArrayPointer(v); }

}  // namespace

struct StepperCvode::Impl {
  Impl(StepperKind kind, const ModelData& model);
  ~Impl();
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  void use_fixed_point();
  void use_dense_newton();
  void use_contact_newton(const ModelData& model);
  void restart(double t, double first_step);
  int advance(double t, double limit, double& reached);
  void count(StepReport& report);

  static int evaluate(double t, N_Vector y, N_Vector rate, void* self);
  static int weigh(N_Vector y, N_Vector weight, void* self);
  static int prepare(double t, N_Vector y, N_Vector rate, int matrix_is_good, int* renewed, double gamma, void* self);
  static int precondition(double t, N_Vector y, N_Vector rate, N_Vector r, N_Vector x, double gamma, double delta,
                          int side, void* self);

  AmbientSystem system;
  SUNContext context = nullptr;
  void* cvode = nullptr;
  N_Vector y = nullptr, dense_y = nullptr;
  SUNMatrix matrix = nullptr;
  SUNLinearSolver linear = nullptr;
  SUNNonlinearSolver nonlinear = nullptr;
  std::optional<ImplicitContacts> contacts;
  std::vector<double> size, theta;

  // What a step in progress works on.
  const ModelData* model = nullptr;
  State* state = nullptr;
  Workspace* work = nullptr;
  double relative_tolerance = 0, absolute_tolerance = 0;

  StateStamp end;
  std::vector<double> start_q, start_u;
  long evaluations = 0, rejected = 0;  // so far since the last restart
};

StepperCvode::Impl::Impl(StepperKind kind, const ModelData& m) : system(m), theta(m.u_count), end(m) {
  const int count = std::max(system.size(), 1);  // CVODE takes no empty vectors: a number that stays zero stands in
  size.resize(count);
  check_flag(SUNContext_Create(nullptr, &context), "SUNContext_Create");
  y = N_VNew_Serial(count, context);
  use_fast_operations(y);
  dense_y = N_VNew_Serial(count, context);
  N_VConst(0, y);
  cvode = CVodeCreate(kind == StepperKind::kAdams ? CV_ADAMS : CV_BDF, context);
  check_flag(cvode ? 0 : -1, "CVodeCreate");
  check_flag(CVodeInit(cvode, evaluate, 0, y), "CVodeInit");
  check_flag(CVodeSetUserData(cvode, this), "CVodeSetUserData");
  check_flag(CVodeWFtolerances(cvode, weigh), "CVodeWFtolerances");
  check_flag(CVodeSetErrHandlerFn(cvode, keep_quiet, nullptr), "CVodeSetErrHandlerFn");
  if (kind == StepperKind::kAdams) {
    use_fixed_point();
  } else if (count <= kLargestDense) {
    use_dense_newton();
  } else {
    use_contact_newton(m);
  }
}

StepperCvode::Impl::~Impl() {
  CVodeFree(&cvode);
  if (nonlinear) SUNNonlinSolFree(nonlinear);
  if (linear) SUNLinSolFree(linear);
  if (matrix) SUNMatDestroy(matrix);
  N_VDestroy(y);
  N_VDestroy(dense_y);
  SUNContext_Free(&context);
}

void StepperCvode::Impl::use_fixed_point() {
  nonlinear = SUNNonlinSol_FixedPoint(y, kAndersonDepth, context);
  check_flag(CVodeSetNonlinearSolver(cvode, nonlinear), "CVodeSetNonlinearSolver");
}

void StepperCvode::Impl::use_dense_newton() {
  const sunindextype count = N_VGetLength(y);
  matrix = SUNDenseMatrix(count, count, context);
  linear = SUNLinSol_Dense(y, matrix, context);
  check_flag(CVodeSetLinearSolver(cvode, linear, matrix), "CVodeSetLinearSolver");
}

void StepperCvode::Impl::use_contact_newton(const ModelData& m) {
  contacts.emplace(m);
  linear =
      only_contacts_are_stiff(m) ? make_preconditioner_solver(context) : SUNLinSol_SPGMR(y, SUN_PREC_LEFT, 0, context);
  check_flag(CVodeSetLinearSolver(cvode, linear, nullptr), "CVodeSetLinearSolver");
  check_flag(CVodeSetPreconditioner(cvode, prepare, precondition), "CVodeSetPreconditioner");
}

int StepperCvode::Impl::evaluate(double t, N_Vector y, N_Vector rate, void* self) {
  Impl& s = *static_cast<Impl*>(self);
  double* out = data_of(rate);
  if (s.system.size() == 0) out[0] = 0;
  s.system.evaluate(*s.model, t, data_of(y), *s.state, *s.work, out);
  double check = 0;  // one NaN or infinity spoils 0 * x
  for (int i = 0; i < s.system.size(); ++i) check += 0 * out[i];
  return check == 0 ? 0 : 1;  // CVODE tries a smaller step then
}

int StepperCvode::Impl::weigh(N_Vector y, N_Vector weight, void* self) {
  Impl& s = *static_cast<Impl*>(self);
  s.system.sizes(*s.model, data_of(y), s.size.data());
  double* w = data_of(weight);
  for (std::size_t i = 0; i < s.size.size(); ++i) w[i] = 1 / (s.absolute_tolerance + s.relative_tolerance * s.size[i]);
  return 0;
}

// CVODE has just evaluated the forces at y: the contacts are those.
int StepperCvode::Impl::prepare(double, N_Vector, N_Vector, int matrix_is_good, int* renewed, double gamma,
                                void* self) {
  Impl& s = *static_cast<Impl*>(self);
  *renewed = !matrix_is_good;
  if (!matrix_is_good) {
    const auto& regularised = s.work->regularised;
    s.contacts->linearize(*s.model, *s.state, regularised ? regularised->touching() : std::span<const TouchingPoint>());
  }
  s.contacts->factor(gamma);
  return 0;
}

int StepperCvode::Impl::precondition(double, N_Vector y, N_Vector, N_Vector r, N_Vector x, double, double, int,
                                     void* self) {
  Impl& s = *static_cast<Impl*>(self);
  const int q_count = s.model->q_count;
  const double *q = data_of(y), *residual = data_of(r);
  double *dq = data_of(x), *du = dq + q_count;
  std::copy(residual, residual + s.system.size(), dq);
  s.system.to_local(*s.model, q, residual, s.theta.data());
  s.contacts->solve(*s.model, s.theta.data(), du);
  s.system.add_local(*s.model, q, s.contacts->gamma(), du, dq);
  return 0;
}

void StepperCvode::Impl::restart(double t, double first_step) {
  system.take(*model, *state, *work, data_of(y));
  check_flag(CVodeReInit(cvode, t, y), "CVodeReInit");
  check_flag(CVodeSetInitStep(cvode, first_step), "CVodeSetInitStep");  // 0: CVODE's own guess
  evaluations = rejected = 0;
}

int StepperCvode::Impl::advance(double t, double limit, double& reached) {
  check_flag(CVodeSetStopTime(cvode, limit), "CVodeSetStopTime");
  return CVode(cvode, limit < kNever ? limit : t + 1, y, &reached, CV_ONE_STEP);
}

void StepperCvode::Impl::count(StepReport& report) {
  long now = 0, for_matrix = 0, errors = 0, iterations_failed = 0;
  CVodeGetNumRhsEvals(cvode, &now);
  if (linear) CVodeGetNumLinRhsEvals(cvode, &for_matrix);
  CVodeGetNumErrTestFails(cvode, &errors);
  CVodeGetNumNonlinSolvConvFails(cvode, &iterations_failed);
  report.evaluations = static_cast<int>(now + for_matrix - evaluations);
  report.rejected = static_cast<int>(errors + iterations_failed - rejected);
  evaluations = now + for_matrix;
  rejected = errors + iterations_failed;
}

StepperCvode::StepperCvode(StepperKind kind, const ModelData& model) : impl_(std::make_unique<Impl>(kind, model)) {}
StepperCvode::~StepperCvode() = default;

void StepperCvode::invalidate() { impl_->end.forget(); }

StepReport StepperCvode::step(const ModelData& model, const StepOptions& options, State& state, Workspace& work) {
  Impl& s = *impl_;
  s.model = &model;
  s.state = &state;
  s.work = &work;
  s.relative_tolerance = options.relative_tolerance;
  s.absolute_tolerance = options.absolute_tolerance;
  const double t = state.t, limit = std::min(options.limit, kNever);
  StepReport report;
  s.start_q = state.q;
  s.start_u = state.u;
  const double given = state.step_count == 0 ? state.step_size : 0.0;
  if (!s.end.matches(state)) s.restart(t, given);
  s.end.forget();
  double reached = t;
  int flag = s.advance(t, limit, reached);
  s.count(report);
  if (flag < 0 && given > 0) {  // too much for a first step, which is cut but a few times: it chooses one by itself
    StepReport again;
    state.t = t;
    state.q = s.start_q;
    state.u = s.start_u;
    s.restart(t, 0);
    flag = s.advance(t, limit, reached);
    s.count(again);
    report.evaluations += again.evaluations;
    report.rejected += again.rejected + 1;
  }
  // Where the motion becomes singular, CVODE goes on with steps that the time does not resolve, for ever.
  const bool stands = flag >= 0 && reached < limit && reached - t <= kUnresolved * std::abs(t);
  if (flag < 0 || stands) {
    state.t = t;
    state.q = s.start_q;
    state.u = s.start_u;
    const bool finite = flag != CV_REPTD_RHSFUNC_ERR && flag != CV_FIRST_RHSFUNC_ERR && flag != CV_UNREC_RHSFUNC_ERR;
    s.end.forget();
    (finite ? report.too_small : report.finite) = finite;
    return report;
  }
  s.system.place(model, reached, data_of(s.y), state);
  CVodeGetCurrentStep(s.cvode, &state.step_size);
  s.end.remember(state);
  return report;
}

void StepperCvode::interpolate(const ModelData& model, double t, State& state) const {
  check_flag(CVodeGetDky(impl_->cvode, t, 0, impl_->dense_y), "CVodeGetDky");
  impl_->system.place(model, t, data_of(impl_->dense_y), state);
}

}  // namespace lipkin
