// A setting of an experiment that does not go with its model.
#pragma once

#include <string>
#include <utility>

#include "lipkin/error.hpp"

namespace lipkin {

// Names the setting, so that who has the file finds its place (place_of_setting).
class SettingError : public InvalidArgument {
 public:
  SettingError(std::string setting, std::string message, std::string hint)
      : InvalidArgument(message + " (" + hint + ")"),
        setting_(std::move(setting)),
        message_(std::move(message)),
        hint_(std::move(hint)) {}

  const std::string& setting() const { return setting_; }  // "stepper"
  const std::string& message() const { return message_; }
  const std::string& hint() const { return hint_; }

 private:
  std::string setting_, message_, hint_;
};

}  // namespace lipkin
