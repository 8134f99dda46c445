// MuJoCo's C API with owners, and models from MJCF text.
#pragma once

#include <mujoco/mujoco.h>

#include <cstring>
#include <memory>
#include <string>

#include "../refusal.hpp"

namespace lipkin::bench {

struct MujocoDeleter {
  void operator()(mjModel* model) const { mj_deleteModel(model); }
  void operator()(mjData* data) const { mj_deleteData(data); }
};
using MujocoModel = std::unique_ptr<mjModel, MujocoDeleter>;
using MujocoData = std::unique_ptr<mjData, MujocoDeleter>;

inline MujocoModel compile_mjcf(const std::string& mjcf) {
  const auto files = std::make_unique<mjVFS>();
  mj_defaultVFS(files.get());
  mj_makeEmptyFileVFS(files.get(), "model.xml", static_cast<int>(mjcf.size()));
  std::memcpy(files->filedata[mj_findFileVFS(files.get(), "model.xml")], mjcf.data(), mjcf.size());
  char error[1000] = "";
  MujocoModel model(mj_loadXML("model.xml", files.get(), error, sizeof error));
  mj_deleteVFS(files.get());
  if (!model) throw Refusal(error);
  return model;
}

inline std::string mujoco_name() { return std::string("mujoco ") + mj_versionString(); }

}  // namespace lipkin::bench
