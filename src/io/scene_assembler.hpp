// Scene files -> the parts of one model: parameters evaluated, repetitions copied, inclusions mounted.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "io/mapping_reader.hpp"
#include "io/part_reader.hpp"
#include "io/scene_file.hpp"
#include "io/scope.hpp"
#include "io/value_reader.hpp"
#include "lipkin/model_builder.hpp"
#include "model/model_suspicions.hpp"

namespace lipkin {

// Names in the whole scene, for whatever refers to them.
struct SceneNames {
  std::unordered_set<std::string> bodies, joints, actuators, motors, controls, gears, tendons, distances, materials,
      inputs, tyres, controllers, springs, bushings;
};

// A parameter's value, and the expression that it follows where it is not a number of its own.
struct GivenParameter {
  double value = 0;
  std::string derived_from;
};
using GivenParameters = std::unordered_map<std::string, GivenParameter>;

class SceneAssembler {
 public:
  static constexpr int kMaxBodies = 200'000;
  static constexpr std::size_t kMaxIncludeDepth = 16;
  static constexpr int kMaxIncludes = 10'000;

  SceneAssembler(SceneFiles& files, ValueReader& values, ModelBuilder& builder)
      : files_(files), values_(values), builder_(builder) {}

  // Adds everything in the file to the builder except what has mistakes; these go to the diagnostics.
  // `parameter_values` replace those of the file. False when the file's parameters are wrong and nothing was added.
  bool add(const SceneFile& file, SceneInstance& instance, const GivenParameters& parameter_values = {});

  // Values of the caller for parameters of included files, by their names in the whole scene; they win.
  void set_in_included(const std::map<std::string, Node>& chosen) { chosen_ = &chosen; }
  // Says which of these no file has.
  void report_unknown_parameters();

  // Bodies whose parent is none, at the place where it is named. For a complete scene.
  void report_unknown_parents();

  // What to do where `message` names a part as "'left_wheel'" that an include calls leftwheel, its prefix being "left";
  // empty otherwise.
  std::string hint_for_prefix(const std::string& message) const;

  // Whether every body, joint, point and actuator of the files is among the parts; where one is missing because of a
  // mistake, the builder's complaints about it would only repeat that.
  bool is_complete() const { return is_complete_; }

  const SceneNames& names() const { return names_; }
  const WrittenParts& written() const { return written_; }

 private:
  struct ParentRef {
    std::string body, joint, parent;  // names in the whole scene
    std::string name_written, written;
    SourceLocation where;
  };

  bool is_second_without_prefix(const SceneFile& included, const std::string& prefix);
  bool add_parameters(const SceneFile& file, SceneInstance& instance, const GivenParameters& given);
  bool add_parameter(const Node& key, const Node& written, const SceneFile& file, SceneInstance& instance,
                     const GivenParameters& given);
  GivenParameter evaluate(const Node& value, const Scope& scope, const std::string& name);
  void check_top_keys(const SceneFile& file);
  template <typename Read>
  void add_section(const SceneFile& file, const std::string& key, const std::string& definition, const Scope& scope,
                   Read read);
  void add_world(const SceneFile& file, const Scope& scope);
  void add_world_point(const SceneFile& file, const SceneInstance& instance);
  void add_materials(const SceneFile& file, const Scope& scope);
  void add_outputs(const SceneFile& file, const Scope& scope);
  void add_output(const Node& key, const Node& written, const Scope& scope);
  void add_includes(const SceneFile& file, const Scope& scope);
  void add_include(const SceneFile& file, const MappingReader& include);
  void include(const SceneFile& included, const MappingReader& include);

  void note_written_name(const std::string& section, const Node& item, const Scope& scope);
  void add_part(BodyAndJoint part);
  void add_part(JointSpec part);
  void add_part(ActuatorSpec part);
  void add_part(MotorSpec part);
  void add_part(ControlSpec part);
  void add_part(TyreSpec part);
  void add_part(InputSpec part);
  void add_part(ControllerSpec part);
  void add_part(TendonSpec part);
  void add_part(GearSpec part);
  void add_part(DistanceSpec part);
  void add_part(SpringDamperSpec part);
  void add_part(BushingSpec part);
  template <typename Spec>
  void add_part(Spec part) {
    builder_.add(std::move(part));
  }

  SceneFiles& files_;
  ValueReader& values_;
  ModelBuilder& builder_;
  SceneNames names_;
  WrittenParts written_;
  std::vector<ParentRef> parents_;
  std::set<std::pair<const SceneFile*, std::string>> included_;  // with which prefix
  const std::map<std::string, Node>* chosen_ = nullptr;
  std::vector<std::string> parameter_names_;
  std::vector<std::string> bare_prefixes_;    // of inclusions, without a '_' behind them
  std::vector<const SceneFile*> open_files_;  // being added, outermost first
  int body_count_ = 0;
  int include_count_ = 0;
  bool is_complete_ = true;
};

}  // namespace lipkin
