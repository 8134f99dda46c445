// Elements of MJCF with what their default class says of them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "io/xml/element_reader.hpp"

namespace lipkin {

// An element whose missing attributes are those of its class, of the class around that, and so on.
class MjcfElement {
 public:
  using Count = ElementReader::Count;

  explicit MjcfElement(const ElementReader& reader, std::vector<ElementReader> defaults = {})
      : reader_(reader), defaults_(std::move(defaults)) {}

  const ElementReader& reader() const { return reader_; }
  std::string name() const { return reader_.text("name", ""); }

  bool has(std::string_view attribute) const { return level_with(attribute) != nullptr; }
  // The element itself or the default that gives the attribute; null: nobody does.
  const ElementReader* level_with(std::string_view attribute) const;

  std::optional<std::string> text(std::string_view attribute) const;
  std::string text(std::string_view attribute, const std::string& otherwise) const;
  std::optional<double> optional_number(std::string_view attribute) const;
  double number(std::string_view attribute, double otherwise) const;
  std::optional<long> optional_integer(std::string_view attribute) const;
  // Fewer numbers than a default gives replace the first of them.
  std::vector<double> numbers(std::string_view attribute, Count count) const;
  // The first of up to three numbers, coefficients of a polynomial since MuJoCo 3.5; the report says what is left out.
  double linear_coefficient(std::string_view attribute) const;
  Eigen::Vector3d vector(std::string_view attribute, const Eigen::Vector3d& otherwise) const;
  bool flag(std::string_view attribute, bool otherwise) const;

 private:
  ElementReader reader_;
  std::vector<ElementReader> defaults_;  // nearest first
};

class MjcfDefaults {
 public:
  // A <default> of the document's root. Classes that stand in it are its children.
  void read(const ElementReader& element);

  // A <default> of an attached model: a class that has nothing from the others.
  void read_apart(const ElementReader& element);

  // The element with the defaults of its class; without one, of `child_class` (empty: of the outermost). `tag` is that
  // of the defaults, where it is not the element's. An unknown class is a mistake.
  MjcfElement with_defaults(const ElementReader& element, const std::string& child_class, std::string_view tag) const;
  MjcfElement with_defaults(const ElementReader& element, const std::string& child_class) const {
    return with_defaults(element, child_class, element.tag());
  }

  // The <default> elements of a class from the outermost on.
  std::vector<ElementReader> chain(const std::string& class_name) const;

  // Says so where there is no such class.
  bool require(const ElementReader& element, std::string_view attribute, const std::string& class_name) const;

 private:
  struct Class {
    int parent = -1;
    std::vector<ElementReader> elements;
  };
  int class_of(const std::string& name) const;
  void read_into(const ElementReader& element, int index);

  std::vector<Class> classes_ = {{}};
  std::map<std::string, int> index_ = {{"main", 0}};
};

}  // namespace lipkin
