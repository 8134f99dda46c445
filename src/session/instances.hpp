// What is alike in a description is sent once: the first in full, the others by what they have for themselves and which
// one they are like.
#pragma once

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/parameters.hpp"
#include "session/json.hpp"

namespace lipkin {

// Items of one list. `as`: the index of the one they are like.
class Instances {
 public:
  // The next item: `own` and `rest`, or `own` and "as" where one before has the same `like`.
  Json instance(Json own, Json rest, std::string like);

 private:
  int count_ = 0;
  std::unordered_map<std::string, int> first_;  // by what they are like
};

// Shapes made of many numbers. `as`: body (-1: the world) and index of the shape whose geometry they have.
class SharedGeometries {
 public:
  Json shared(Json shape, int body, int index);

 private:
  std::unordered_map<std::string, std::pair<int, int>> first_;  // by geometry
};

// Parameters by their groups. `as`: the group whose parameters they have, but for the name in the path.
class ParameterGroups {
 public:
  void add(Parameter parameter, double value, double initial);
  Json json() const;

 private:
  struct Listed {
    Parameter parameter;
    double value, initial;
  };
  struct Group {
    std::string name;
    std::vector<Listed> list;
  };
  static std::string likeness(const Group& group);

  std::vector<Group> groups_;  // in the order in which they came
  std::unordered_map<std::string, std::size_t> place_;
};

}  // namespace lipkin
