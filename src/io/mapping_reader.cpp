#include "io/mapping_reader.hpp"

#include <fmt/format.h>

#include <utility>

#include "io/instead.hpp"

namespace lipkin {
namespace {

// Below this length a direction is rounding noise.
constexpr double kSmallestNorm = 1e-12;

// Two rows of two may be times and values.
std::string columns_meant(const Node& rows) {
  double first = 0, second = 0;
  if (rows.items.size() != 2 || !is_plain_number(rows.items[0].items[0], &first) ||
      !is_plain_number(rows.items[0].items[1], &second) || first >= second)
    return {};
  Node exchanged = rows;
  std::swap(exchanged.items[0].items[1], exchanged.items[1].items[0]);
  return fmt::format("a row is a time and its value: write table: {}", written(exchanged));
}

Eigen::Vector3d unit_axis(const std::string& letter) { return Eigen::Vector3d::Unit(letter[0] - 'x'); }

}  // namespace

SourceLocation MappingReader::where(const std::string& key) const {
  const Node* value = mapping_.find(key);
  return value ? value->where() : mapping_.where();
}

const Node& MappingReader::at(const std::string& key) const {
  const Node* value = mapping_.find(key);
  if (!value) throw InternalError("scene reader: no key '" + key + "'");
  return ValueReader::pick(*value, scope_);
}

const Schema& MappingReader::property(const std::string& key) const {
  const Schema* found = schema_.property(key);
  if (!found) throw InternalError("scene reader: the schema has no key '" + key + "'");
  return *found;
}

template <typename T>
T MappingReader::default_of(const std::string& key) const {
  for (const Schema* schema = &property(key); schema; schema = schema->reference)
    if (const T* value = std::get_if<T>(&schema->default_value)) return *value;
  throw InternalError("scene reader: the schema has no such default for '" + key + "'");
}

double MappingReader::number(const std::string& key) const {
  if (!has(key)) return default_of<double>(key);
  return values_.number(at(key), property(key), scope_, quoted(key));
}

std::optional<double> MappingReader::optional_number(const std::string& key) const {
  return has(key) ? std::optional<double>(number(key)) : std::nullopt;
}

std::vector<double> MappingReader::flat_numbers(const Node& list, const std::string& key) const {
  const Schema* items = property(key).of_type(kJsonArray)->items;
  const Schema& numeric = items->of_type(kJsonNumber) ? *items : *items->target().items;
  std::vector<double> result;
  for (const Node& written : list.items) {
    const Node& item = ValueReader::pick(written, scope_);
    if (item.is_sequence()) {
      for (const double value : flat_numbers(item, key)) result.push_back(value);
    } else {
      result.push_back(values_.number(item, numeric, scope_, quoted(key)));
    }
  }
  return result;
}

std::vector<double> MappingReader::numbers(const std::string& key) const {
  if (!has(key)) return {};
  const Node& value = at(key);
  return value.is_sequence() ? flat_numbers(value, key) : std::vector<double>{number(key)};
}

Eigen::Vector3d MappingReader::vector(const std::string& key) const {
  const std::vector<double> v = has(key) ? flat_numbers(at(key), key) : default_of<std::vector<double>>(key);
  return {v.at(0), v.at(1), v.at(2)};
}

std::vector<Eigen::Vector3d> MappingReader::vectors(const std::string& key) const {
  const std::vector<double> flat = flat_numbers(at(key), key);
  std::vector<Eigen::Vector3d> result;
  for (std::size_t i = 0; i + 2 < flat.size(); i += 3) result.emplace_back(flat[i], flat[i + 1], flat[i + 2]);
  return result;
}

Eigen::Vector3d MappingReader::number_or_vector(const std::string& key) const {
  const bool three = has(key) && at(key).is_sequence();
  return three ? vector(key) : Eigen::Vector3d::Constant(number(key));
}

std::string MappingReader::text(const std::string& key) const {
  return has(key) ? values_.text(at(key), scope_) : default_of<std::string>(key);
}

std::string MappingReader::name(const std::string& key) const {
  return has(key) ? values_.name(at(key), scope_, quoted(key)) : default_of<std::string>(key);
}

std::vector<std::string> MappingReader::names(const std::string& key) const {
  std::vector<std::string> result;
  for (const Node& item : at(key).items) result.push_back(values_.name(item, scope_, quoted(key)));
  return result;
}

Eigen::Vector3d MappingReader::axis(const std::string& key) const {
  if (!has(key)) return unit_axis(default_of<std::string>(key));
  const Node& value = at(key);
  if (value.is_scalar()) return unit_axis(value.text);
  const int errors_before = values_.diagnostics().error_count();
  const Eigen::Vector3d direction = vector(key);
  if (direction.norm() >= kSmallestNorm) return direction;
  if (values_.diagnostics().error_count() == errors_before)
    values_.diagnostics().error(value.where(), fmt::format("'{}' has length zero: expected a direction", key));
  return Eigen::Vector3d::UnitZ();
}

Eigen::Quaterniond MappingReader::orientation(const std::string& key) const {
  if (!has(key)) return Eigen::Quaterniond::Identity();
  const Node& value = at(key);
  if (value.is_mapping()) {
    const MappingReader rotation = below(key);
    if (rotation.has("rpy")) {
      const Eigen::Vector3d rpy = rotation.vector("rpy");
      for (const Node& angle : rotation.at("rpy").items) values_.warn_of_degrees(angle, "'rpy'");
      return Eigen::AngleAxisd(rpy.z(), Eigen::Vector3d::UnitZ()) *
             Eigen::AngleAxisd(rpy.y(), Eigen::Vector3d::UnitY()) *
             Eigen::AngleAxisd(rpy.x(), Eigen::Vector3d::UnitX());
    }
    values_.warn_of_degrees(rotation.at("angle"), "'angle'");
    return Eigen::Quaterniond(Eigen::AngleAxisd(rotation.number("angle"), rotation.axis("axis").normalized()));
  }
  const int errors_before = values_.diagnostics().error_count();
  const std::vector<double> wxyz = flat_numbers(value, key);
  values_.warn_of_w_last(value, wxyz, 0, key, "{axis: z, angle: pi}");
  const Eigen::Quaterniond quaternion(wxyz.at(0), wxyz.at(1), wxyz.at(2), wxyz.at(3));
  if (quaternion.norm() >= kSmallestNorm) return quaternion.normalized();
  if (values_.diagnostics().error_count() == errors_before)
    values_.diagnostics().error(value.where(), fmt::format("'{}' is a zero quaternion: expected a rotation", key));
  return Eigen::Quaterniond::Identity();
}

Table MappingReader::table(const Node& rows) const {
  const Schema& cell = scene_format().definition("number");
  Table result;
  for (const Node& row : rows.items) {
    const double time = values_.number(row.items.at(0), cell, scope_, "a time of 'table'");
    if (!result.times.empty() && time <= result.times.back())
      values_.diagnostics().error(
          row.where(), fmt::format("the times of 'table' must increase, but {} follows {}", time, result.times.back()),
          columns_meant(rows));
    result.times.push_back(time);
    result.values.push_back(values_.number(row.items.at(1), cell, scope_, "a value of 'table'"));
  }
  return result;
}

Signal MappingReader::signal_from(const Node& written, const std::string& label) const {
  const Node& node = ValueReader::pick(written, scope_);
  Signal result;
  result.where = node.where();
  if (node.is_mapping()) {
    result.source = table(*node.find("table"));
  } else {
    std::visit([&](auto value) { result.source = std::move(value); }, values_.signal(node, scope_, label));
  }
  return result;
}

Signal MappingReader::signal(const std::string& key) const {
  return has(key) ? signal_from(at(key), quoted(key)) : Signal{default_of<double>(key), where()};
}

std::array<Signal, 3> MappingReader::signals(const std::string& key) const {
  std::array<Signal, 3> result;
  for (std::size_t i = 0; i < 3; ++i)
    result[i] = has(key) ? signal_from(at(key).items.at(i), quoted(key))
                         : Signal{default_of<std::vector<double>>(key).at(i), where()};
  return result;
}

}  // namespace lipkin
