// Bodies, joints and shapes of an MJCF model as ours.
#pragma once

#include "io/import/model_import.hpp"
#include "io/mjcf/mjcf_contact.hpp"
#include "io/mjcf/mjcf_mesh.hpp"
#include "io/mjcf/mjcf_model.hpp"

namespace lipkin {

// A body with several joints becomes a chain of massless bodies in the same place, one for each joint but the last,
// named "BODY.JOINT". Returns the contact groups that shapes are in.
std::set<std::string> add_mjcf_bodies(const MjcfModel& model, MjcfAssets& assets, const MjcfContacts& contacts,
                                      ModelImport& import);

}  // namespace lipkin
