// What the viewer is told of large models: what is alike once, and all that is left out can be filled in again.
#include <gtest/gtest.h>

#include <fstream>

#include "base/temporary_folder.hpp"
#include "model/parameters.hpp"
#include "unit/session/desk.hpp"

namespace lipkin {
namespace {

using Json = nlohmann::json;
using test::Desk;

// As docs/guide/viewer-protocol.md says it.
Json filled_in(const Json& list, std::size_t i) {
  if (!list[i].contains("as")) return list[i];
  Json item = list[list[i]["as"].get<std::size_t>()];
  EXPECT_FALSE(item.contains("as"));
  item.update(list[i]);
  item.erase("as");
  return item;
}

std::string with_prefix(const std::string& path, std::string from, std::string to) {
  from.replace(from.find(' '), 1, "."), to.replace(to.find(' '), 1, ".");
  EXPECT_EQ(path.compare(0, from.size() + 1, from + "."), 0) << path;
  return to + path.substr(from.size());
}

std::map<std::string, Json> all_parameters(const Json& list) {
  std::map<std::string, Json> all;
  for (const Json& entry : list) {
    if (!entry.contains("as")) {
      all[entry["path"]] = entry;
      continue;
    }
    for (const Json& other : list) {
      if (other.contains("as") || other["group"] != entry["as"]) continue;
      all[with_prefix(other["path"], entry["as"], entry["group"])] = other;
    }
  }
  return all;
}

void expect_whole(const Desk& desk) {
  const Model& model = desk.session.simulation().model();
  const Json json = Json::parse(desk.session.model_json());
  ASSERT_EQ(json["bodies"].size(), static_cast<std::size_t>(model.body_count()));
  for (int b = 0; b < model.body_count(); ++b) {
    const Json body = filled_in(json["bodies"], b);
    EXPECT_EQ(body["name"], model.body_name(b));
    EXPECT_EQ(body["mass"], model.body_mass(b));
    for (int k = 0; k < 3; ++k) EXPECT_EQ(body["com"][k], model.body_com(b)[k]);
    EXPECT_EQ(body["shapes"].size(), model.data().bodies[b].shapes.size());
  }
  ASSERT_EQ(json["joints"].size(), static_cast<std::size_t>(model.joint_count()));
  for (int j = 0; j < model.joint_count(); ++j) {
    const Json joint = filled_in(json["joints"], j);
    EXPECT_EQ(joint["name"], model.joint_name(j));
    EXPECT_EQ(joint["type"], name_of(model.joint_type(j)));
    EXPECT_EQ(joint["child"], model.joint_child(j));
  }
  const std::map<std::string, Json> parameters = all_parameters(json["parameters"]);
  for (const Parameter& parameter : list_parameters(*model.data().parts)) {
    const auto found = parameters.find(parameter.path);
    ASSERT_NE(found, parameters.end()) << parameter.path;
    EXPECT_EQ(found->second["unit"], parameter.unit);
    if (!std::isfinite(parameter.value)) continue;
    EXPECT_EQ(found->second["value"], parameter.value) << parameter.path;
  }
}

TEST(Instances, WhatIsLeftOutCanBeFilledIn) {
  for (const char* scene : {"peaucellier", "spheres-in-cup", "grasp", "minibaja", "cart-pole", "chain-loop"}) {
    SCOPED_TRACE(scene);
    Desk desk(scene);
    expect_whole(desk);
    desk.tell("set", {{"path", "body." + desk.session.simulation().model().body_name(1) + ".mass"}, {"value", 1.25}});
    EXPECT_TRUE(desk.last.ok) << desk.last.error;
    expect_whole(desk);  // one is not like the others any more
  }
}

// 5.4 kB for each sphere once.
TEST(Instances, SpheresThatAreAlikeAreFewBytesEach) {
  const auto size = [](const char* layers) {
    return Desk("spheres-in-cup", {{"layers", layers}}).session.model_json().size();
  };
  const std::size_t few = size("10"), many = size("60");
  EXPECT_LT((many - few) / (50 * 16), 300u);
}

// A geometry of many numbers is sent with the first of its shapes.
TEST(Instances, MeshesAreSentOnce) {
  const TemporaryFolder folder;
  const std::string wedge =
      "mesh: {vertices: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], "
      "triangles: [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]}";
  std::ofstream(folder.path() / "two.yaml")
      << "lipkin: 1\nname: two\nworld:\n  shapes: [{" << wedge << ", at: [0, 0, -3]}]\nbodies:\n"
      << "  - {name: a, mass: 1, inertia: [1, 1, 1], joint: {type: free}, shapes: [{" << wedge << "}, {" << wedge
      << ", at: [2, 0, 0]}]}\n"
      << "  - {name: b, mass: 2, inertia: [1, 1, 1], joint: {type: free}, shapes: [{" << wedge << ", at: [0, 0, 5]}]}\n"
      << "experiment: {stepper: euler, duration: 1, dt: 0.001}\n";
  Desk desk((folder.path() / "two.yaml").string());
  const Json json = Json::parse(desk.session.model_json());
  EXPECT_EQ(json["bodies"][0]["shapes"][0]["vertices"].size(), 12u);
  EXPECT_EQ(json["bodies"][0]["shapes"][1]["as"], Json({0, 0}));
  EXPECT_EQ(json["bodies"][1]["shapes"][0]["as"], Json({0, 0}));
  EXPECT_EQ(json["bodies"][1]["shapes"][0]["pose"]["p"], Json({0, 0, 5}));
  EXPECT_EQ(json["world"]["shapes"][0]["as"], Json({0, 0}));
}

}  // namespace
}  // namespace lipkin
