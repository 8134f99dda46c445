// A model file of another program on its way to a Scene. Each format has one function that fills the builder.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>

#include "io/diagnostic_list.hpp"
#include "io/xml/element_reader.hpp"
#include "io/xml/xml_document.hpp"
#include "lipkin/import.hpp"
#include "lipkin/model_builder.hpp"
#include "lipkin/scene.hpp"

namespace lipkin {

template <typename T>
auto& at(T& items, int index) {
  return items[static_cast<std::size_t>(index)];
}

struct ModelImport {
  std::filesystem::path path;
  std::string shown_name;  // of the file, in messages
  ImportOptions options;
  std::unique_ptr<XmlElement> root;

  // What the reader of the format fills. Whatever it asks the elements for counts as honoured, the rest as ignored;
  // mistakes go to the diagnostics, and the reader reads on to find the next.
  DiagnosticList diagnostics;
  ImportReport report;
  std::string name, description;
  ModelBuilder builder;
  Experiment experiment;

  ImportLog log() { return {diagnostics, report}; }
};

// Reads and parses a file within the limits of xml_text.hpp. Throws InputError.
std::unique_ptr<XmlElement> read_xml_file(const std::filesystem::path& path, const std::string& shown_name,
                                          DiagnosticList& diagnostics);

// Whether a file is XML rather than a scene, by its ending or its first character.
bool is_model_file(const std::filesystem::path& path);

// The model as a scene to run; the root element says which format it is. Throws InputError with every mistake.
Scene load_model(const std::filesystem::path& path, const std::string& shown_name, const ImportOptions& options);

// The same for bytes in memory; `path` says where the files that the model names are looked for.
Scene load_model_text(std::string bytes, const std::filesystem::path& path, const std::string& shown_name,
                      const ImportOptions& options);

// The formats.
void read_urdf(ModelImport& import);
void read_mjcf(ModelImport& import);

}  // namespace lipkin
