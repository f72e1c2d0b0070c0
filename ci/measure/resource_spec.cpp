// SPDX-License-Identifier: Apache-2.0
#include "ci/measure/resource_spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "ci/support/errors.hpp"

namespace warpgauge::ci {
namespace {

using results::Json;

std::string ctest_id(std::string uuid) {
  std::transform(uuid.begin(), uuid.end(), uuid.begin(), [](unsigned char letter) {
    return std::isalnum(letter) != 0 ? static_cast<char>(std::tolower(letter)) : '_';
  });
  return uuid;
}

}  // namespace

std::string resource_spec(const Json& answer) {
  const Json settings = answer.value("settings", Json::object());
  if (settings.value("mig", false)) {
    throw Error(kExitNotMeasured,
                "the GPU is shared by MIG: CUDA sees one part of it at a time, so write the "
                "specification by hand, from nvidia-smi -L");
  }
  const Json devices = answer.value("devices", Json::array());
  if (devices.empty()) {
    throw Error(kExitNotMeasured, fmt::format("there is no GPU to give to tests: {}",
                                              answer.value("device_problem",
                                                           "warpgauge_doctor names none; is it of "
                                                           "the same version?")));
  }
  Json gpus = Json::array();
  for (const Json& device : devices) {
    gpus.push_back({{"id", ctest_id(device.at("uuid").get<std::string>())}, {"slots", 1}});
  }
  const Json spec{{"version", {{"major", 1}, {"minor", 0}}},
                  {"local", Json::array({{{"gpus", std::move(gpus)}}})}};
  return spec.dump(2) + "\n";
}

}  // namespace warpgauge::ci
