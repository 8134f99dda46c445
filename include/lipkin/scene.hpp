// A scene: what a person writes. A model and the experiment to run with it.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "lipkin/import.hpp"
#include "lipkin/model.hpp"
#include "lipkin/model_builder.hpp"
#include "lipkin/solver.hpp"

namespace lipkin {

// Sets a value while a simulation runs. Paths: every parameter of the model's parts, such as body.NAME.mass,
// joint.NAME.damping (of all directions; of one with [k]), motor.NAME.target, material.NAME.friction; gravity.x|y|z;
// and what is no parameter: actuator.NAME.control, motor.NAME.control, control.NAME, input.NAME. What the model was
// built with changes in place; for anything else it is built anew, and what runs goes on with it.
struct CommandSet {
  std::string path;
  double value = 0;
};

// A force and torque on a body for a while.
struct CommandPush {
  std::string body;
  Eigen::Vector3d point = Eigen::Vector3d::Zero();   // in the body frame [m]
  Eigen::Vector3d force = Eigen::Vector3d::Zero();   // [N]
  Eigen::Vector3d torque = Eigen::Vector3d::Zero();  // [N m]
  ForceFrame frame = ForceFrame::kWorld;
  double duration = 0;  // [s]
};

// A typed edit applied between two steps, at the first step boundary at or after `at` [s].
struct Command {
  double at = 0;
  std::variant<CommandSet, CommandPush> action;
  SourceLocation where;
};

enum class StepperKind { kEuler, kMoreau, kRk4, kDopri5, kAdams, kBdf };
std::string_view name_of(StepperKind kind);

// Whether the stepper chooses its steps by the tolerances alone.
bool is_adaptive(StepperKind kind);

// How `euler` and `moreau` step; the others do as they are.
enum class StepKind {
  kFixed,    // dt
  kVariable  // between dt_min and dt_max: euler by how far things move in a step, moreau by the tolerances
};
std::string_view name_of(StepKind kind);

// Whether this build has the stepper: `adams` and `bdf` need SUNDIALS.
bool is_built(StepperKind kind);

// What contact and joint friction are.
enum class ContactKind {
  kByStepper,   // rigid for `euler` and `moreau`, regularised for the others, which need forces
  kRigid,       // set-valued laws: rows of the constraint problem
  kRegularised  // forces, from the stiffness and damping of the materials
};
std::string_view name_of(ContactKind kind);

// Coordinates of the mechanism: those of its joints, or every body free and every joint cut into rows.
enum class CoordinateKind { kGeneralized, kMaximal };
std::string_view name_of(CoordinateKind kind);

// What keeps bilateral rows closed on position level.
enum class StabilizationKind {
  kNone,
  kBaumgarte,   // gaps feed back into the velocities
  kProjection,  // positions, then velocities, are moved onto the rows
  kSplit        // pseudo velocities move the positions alone
};
std::string_view name_of(StabilizationKind kind);

// Beyond what violation of a joint, loop, limit or drive a motion counts as one that cannot be followed; the run stops
// there. Drift of gaps under `none` and `baumgarte` is reported and not judged.
struct Tolerated {
  double length = 0;      // [m]; 0: 1e-4 of the size of the mechanism
  double angle = 1e-3;    // [rad]
  double rate = 1e-3;     // [m/s] or [rad/s]
  bool anything = false;  // it goes on whatever happens
};

struct Experiment {
  StepperKind stepper = StepperKind::kEuler;
  CoordinateKind coordinates = CoordinateKind::kGeneralized;
  SolverKind solver = SolverKind::kHybrid;
  SolverOptions solver_options;
  StabilizationKind stabilization = StabilizationKind::kProjection;
  ContactKind contact = ContactKind::kByStepper;
  double slip_speed = 1e-3;  // regularised friction reaches 0.7 of its limit at it [m/s] or [rad/s]
  double duration = 10;      // [s]
  StepKind step = StepKind::kFixed;
  double dt = 1e-3;      // fixed step; first step where steps are chosen, if > 0 [s]
  double dt_min = 1e-6;  // variable steps: smallest and largest [s]
  double dt_max = 1e-2;
  double relative_tolerance = 1e-8;   // adaptive steppers
  double absolute_tolerance = 1e-10;  // adaptive steppers, in the unit of each coordinate
  Tolerated tolerated;
  double every = 0;  // spacing of recorded outputs [s]; 0: every step
  std::vector<Command> commands;
};

// Whether the sizes of its steps are chosen while it runs: they end where a command is due.
bool chooses_steps(const Experiment& experiment);

struct Scene {
  std::string name;
  std::string description;
  Model model;
  Experiment experiment;
  std::vector<Diagnostic> warnings;
  ImportReport report{};  // of a model file: what became of each tag
};

// Reads a scene by file path or by the name of one of Lipkin's own scenes, or a model file (URDF, MJCF) by its path.
// `overrides` are ("path", "value") pairs as of --set, for scenes: a parameter ("length"), or a place in the file
// ("bodies.rod1.mass", "experiment.dt"). Throws InputError with every mistake.
Scene load_scene(const std::string& name_or_path,
                 const std::vector<std::pair<std::string, std::string>>& overrides = {},
                 const ImportOptions& import_options = {});

struct SceneText {
  std::string name;
  std::string text;
};

// The files that a scene is read from, as they are; names relative to the folder that holds them all, the scene itself
// first. Throws as load_scene.
std::vector<SceneText> scene_files(const std::string& name_or_path,
                                   const std::vector<std::pair<std::string, std::string>>& overrides = {},
                                   const ImportOptions& import_options = {});

struct SceneInfo {
  std::string name;
  std::string description;
  std::filesystem::path path;
};

// Lipkin's own scenes, by name.
std::vector<SceneInfo> list_scenes();

// The JSON Schema of the scene format.
std::string_view scene_schema();

}  // namespace lipkin
