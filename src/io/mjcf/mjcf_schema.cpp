// The words of MuJoCo 2.2 to 3.x (mujoco.readthedocs.io/en/stable/XMLreference.html).
#include "io/mjcf/mjcf_schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/nearest_name.hpp"
#include "io/xml/number_text.hpp"

namespace lipkin {
namespace {

// One kind of element. Words in a list end with '!' where they are of older versions; a child is "tag" or "tag=kind"; a
// '*' allows everything.
struct KindText {
  const char* kind;
  const char* attributes;
  const char* children;
};

#define LIPKIN_MJCF_ORIENTATION " quat axisangle xyaxes zaxis euler "
#define LIPKIN_MJCF_SOFT " solref solimp "
#define LIPKIN_MJCF_TREE                                                                                        \
  "inertial joint freejoint geom site camera=any light=any body frame replicate attach composite flexcomp=any " \
  "plugin=any"
#define LIPKIN_MJCF_TENDON                                                                                     \
  "name class group limited actuatorfrclimited range actuatorfrcrange solreflimit solimplimit solreffriction " \
  "solimpfriction margin width material rgba frictionloss springlength stiffness damping armature user"
#define LIPKIN_MJCF_ACTUATOR                                                                                    \
  "name class group nsample interp delay ctrllimited forcelimited actlimited ctrlrange forcerange actrange "    \
  "lengthrange gear cranklength user joint jointinparent tendon slidersite cranksite site refsite body actdim " \
  "damping armature input velrange ffrange "                                                                    \
  "actearly "

constexpr KindText kKinds[] = {
    {"any", "*", "*"},
    {"mujoco", "model",
     "compiler option size visual=any statistic=any default extension custom=any asset worldbody deformable=any "
     "contact equality tendon actuator sensor keyframe"},
    {"compiler",
     "autolimits boundmass boundinertia settotalmass balanceinertia strippath coordinate angle fitaabb eulerseq "
     "meshdir texturedir assetdir discardvisual usethread fusestatic inertiafromgeom inertiagrouprange saveinertial "
     "alignfree conflict exactmeshinertia! convexhull!",
     "lengthrange=any"},
    {"option",
     "timestep impratio tolerance ls_tolerance noslip_tolerance ccd_tolerance sleep_tolerance gravity wind magnetic "
     "density viscosity o_margin o_solref o_solimp o_friction integrator cone jacobian solver iterations "
     "ls_iterations noslip_iterations ccd_iterations sdf_iterations sdf_initpoints actuatorgroupdisable "
     "mpr_tolerance! mpr_iterations! apirate! collision!",
     "flag"},
    {"flag",
     "constraint equality frictionloss limit contact spring damper gravity clampctrl warmstart filterparent "
     "actuation refsafe sensor midphase nativeccd eulerdamp autoreset island sleep override energy fwdinv invdiscrete "
     "multiccd diagexact passive! sensornoise!",
     ""},
    {"size",
     "memory njmax nconmax nstack nuserdata nkey nuser_body nuser_jnt nuser_geom nuser_site nuser_cam nuser_tendon "
     "nuser_actuator nuser_sensor",
     ""},
    {"default", "class",
     "mesh material=any joint geom site camera=any light=any pair equality tendon=tendon-default general motor "
     "position velocity intvelocity damper cylinder muscle adhesion dcmotor=any orientation=any pid=any default"},
    {"extension", "", "plugin=any"},
    {"asset", "", "mesh hfield skin=any texture=any material=any model"},
    {"mesh",
     "name class content_type file vertex normal face texcoord scale refpos refquat smoothnormal maxhullvert inertia "
     "builtin params material octree",
     "plugin=any"},
    {"hfield", "name content_type file nrow ncol size elevation", ""},
    {"model", "name file content_type", ""},
    {"worldbody", "*", LIPKIN_MJCF_TREE},
    {"body", "name childclass pos mocap gravcomp sleep simple user" LIPKIN_MJCF_ORIENTATION, LIPKIN_MJCF_TREE},
    {"frame", "name childclass pos" LIPKIN_MJCF_ORIENTATION, LIPKIN_MJCF_TREE},
    {"replicate", "count offset euler sep prefix childclass", LIPKIN_MJCF_TREE},
    {"attach", "model body frame prefix", ""},
    {"composite",
     "prefix type count spacing offset vertex curve size initial quat flatinertia! solrefsmooth! solimpsmooth!",
     "joint=any tendon=any geom site=any skin=any pin=any plugin=any"},
    {"inertial", "pos mass diaginertia fullinertia" LIPKIN_MJCF_ORIENTATION, ""},
    {"joint",
     "name class type group pos axis springdamper limited actuatorfrclimited solreflimit solimplimit solreffriction "
     "solimpfriction stiffness range actuatorfrcrange actuatorgravcomp margin ref springref armature damping "
     "frictionloss user",
     ""},
    {"freejoint", "name group align", ""},
    {"geom",
     "name class type contype conaffinity condim group priority size material friction mass density shellinertia "
     "solmix margin gap surfacevel adhesion fromto pos hfield mesh fitscale rgba fluidshape fluidcoef "
     "user" LIPKIN_MJCF_ORIENTATION LIPKIN_MJCF_SOFT,
     "plugin=any"},
    {"site", "name class type group pos material size fromto rgba user" LIPKIN_MJCF_ORIENTATION, ""},
    {"contact", "", "pair exclude"},
    {"pair", "name class geom1 geom2 condim friction solreffriction gap margin adhesion" LIPKIN_MJCF_SOFT, ""},
    {"exclude", "name body1 body2", ""},
    {"equality", "active" LIPKIN_MJCF_SOFT,
     "connect weld joint=joint-equality tendon=tendon-equality flex=any flexvert=any flexstrain=any distance=any"},
    {"connect", "name class body1 body2 anchor site1 site2 active" LIPKIN_MJCF_SOFT, ""},
    {"weld", "name class body1 body2 relpose anchor site1 site2 torquescale active" LIPKIN_MJCF_SOFT, ""},
    {"joint-equality", "name class joint1 joint2 polycoef active" LIPKIN_MJCF_SOFT, ""},
    {"tendon-equality", "name class tendon1 tendon2 polycoef active" LIPKIN_MJCF_SOFT, ""},
    {"tendon-default", LIPKIN_MJCF_TENDON, ""},
    {"tendon", "", "spatial fixed"},
    {"spatial", LIPKIN_MJCF_TENDON, "site=path-site geom=path-geom pulley"},
    {"fixed", LIPKIN_MJCF_TENDON, "joint=path-joint"},
    {"path-site", "site", ""},
    {"path-geom", "geom sidesite", ""},
    {"pulley", "divisor", ""},
    {"path-joint", "joint coef", ""},
    {"actuator", "",
     "general motor position velocity intvelocity damper cylinder muscle adhesion dcmotor=any orientation=any pid=any "
     "plugin=any"},
    {"general", LIPKIN_MJCF_ACTUATOR "dyntype gaintype biastype dynprm gainprm biasprm", ""},
    {"motor", LIPKIN_MJCF_ACTUATOR, ""},
    {"position", LIPKIN_MJCF_ACTUATOR "kp kv dampratio timeconst inheritrange", ""},
    {"velocity", LIPKIN_MJCF_ACTUATOR "kv", ""},
    {"intvelocity", LIPKIN_MJCF_ACTUATOR "kp kv dampratio inheritrange", ""},
    {"damper", LIPKIN_MJCF_ACTUATOR "kv", ""},
    {"cylinder", LIPKIN_MJCF_ACTUATOR "timeconst area diameter bias", ""},
    {"muscle", LIPKIN_MJCF_ACTUATOR "timeconst tausmooth range force scale lmin lmax vmax fpmax fvmax", ""},
    {"adhesion", LIPKIN_MJCF_ACTUATOR "gain", ""},
    {"sensor", "", "*"},
    {"keyframe", "", "key"},
    {"key", "name time qpos qvel act ctrl mpos mquat", ""},
};

#undef LIPKIN_MJCF_ORIENTATION
#undef LIPKIN_MJCF_SOFT
#undef LIPKIN_MJCF_TREE
#undef LIPKIN_MJCF_TENDON
#undef LIPKIN_MJCF_ACTUATOR

struct Kind {
  bool has_any_attribute = false, has_any_child = false;
  std::set<std::string> attributes, old_attributes;
  std::map<std::string, std::string> children;  // tag to kind
};

Kind parsed(const KindText& text) {
  Kind kind;
  for (const std::string_view word : words_of(text.attributes)) {
    if (word == "*") {
      kind.has_any_attribute = true;
    } else if (word.ends_with('!')) {
      kind.old_attributes.emplace(word.substr(0, word.size() - 1));
    } else {
      kind.attributes.emplace(word);
    }
  }
  for (const std::string_view word : words_of(text.children)) {
    if (word == "*") kind.has_any_child = true;
    const std::size_t equals = std::min(word.find('='), word.size());
    const std::string tag(word.substr(0, equals));
    kind.children[tag] = equals < word.size() ? std::string(word.substr(equals + 1)) : tag;
  }
  return kind;
}

const std::map<std::string, Kind>& kinds() {
  static const std::map<std::string, Kind> all = [] {
    std::map<std::string, Kind> result;
    for (const KindText& text : kKinds) result[text.kind] = parsed(text);
    return result;
  }();
  return all;
}

std::string shown(const XmlElement& element) {
  const XmlAttribute* name = element.attribute("name");
  return name ? fmt::format("{} '{}'", element.tag, shortened(name->value)) : fmt::format("<{}>", element.tag);
}

class WordChecker {
 public:
  explicit WordChecker(DiagnosticList& diagnostics) : diagnostics_(diagnostics) {}

  void check(const XmlElement& element, const Kind& kind) {
    for (const XmlAttribute& attribute : element.attributes) check_attribute(element, attribute, kind);
    if (kind.has_any_child) return;
    for (const auto& child : element.children) {
      const auto known = kind.children.find(child->tag);
      if (known != kind.children.end()) {
        check(*child, kinds().at(known->second));
      } else {
        report_child(element, *child, kind);
      }
    }
  }

 private:
  void check_attribute(const XmlElement& element, const XmlAttribute& attribute, const Kind& kind) {
    if (kind.has_any_attribute || kind.attributes.count(attribute.name)) return;
    if (kind.old_attributes.count(attribute.name)) {
      if (warned_.insert(element.tag + "@" + attribute.name).second)
        diagnostics_.warning(element.where(attribute), fmt::format("{}: the attribute '{}' is of older versions of "
                                                                   "MuJoCo",
                                                                   shown(element), attribute.name));
      return;
    }
    diagnostics_.error(
        element.where(attribute),
        fmt::format("{}: unknown attribute '{}' in line {}", shown(element), shortened(attribute.name), attribute.line),
        hint(attribute.name, {kind.attributes.begin(), kind.attributes.end()}));
  }

  void report_child(const XmlElement& parent, const XmlElement& child, const Kind& kind) {
    std::vector<std::string> known;
    for (const auto& [tag, unused] : kind.children) known.push_back(tag);
    diagnostics_.error(
        child.where(),
        fmt::format("unknown element <{}> in <{}>, line {}", shortened(child.tag), parent.tag, child.line),
        hint(child.tag, known));
  }

  // Names are compared for the first mistakes only: each costs a comparison with every name.
  std::string hint(const std::string& word, const std::vector<std::string>& known) const {
    constexpr int kMostHints = 10;
    return diagnostics_.error_count() < kMostHints ? did_you_mean(word, known) : "";
  }

  DiagnosticList& diagnostics_;
  std::set<std::string> warned_;
};

}  // namespace

void check_mjcf_words(const XmlElement& root, DiagnosticList& diagnostics) {
  WordChecker(diagnostics).check(root, kinds().at("mujoco"));
}

}  // namespace lipkin
