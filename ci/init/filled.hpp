// SPDX-License-Identifier: Apache-2.0
// The templates below ci/init/templates/, with their words filled in.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace warpgauge::ci {

using Words = std::map<std::string, std::string>;  // what stands for @WORD@ in a template

// The template of that file name, with each @WORD@ replaced; what a word stands for is not looked
// through again. A word that is not given is an error of the caller: std::logic_error.
[[nodiscard]] std::string filled(std::string_view name, const Words& words = {});

}  // namespace warpgauge::ci
