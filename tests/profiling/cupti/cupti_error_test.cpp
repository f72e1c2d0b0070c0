// SPDX-License-Identifier: Apache-2.0
#include "profiling/cupti/cupti_error.hpp"

#include <gtest/gtest.h>

#include <string>

namespace warpgauge::cupti {
namespace {

TEST(CuptiError, SuccessIsNoError) { EXPECT_NO_THROW(require_cupti(CUPTI_SUCCESS, "call")); }

TEST(CuptiError, NamesCallReasonAndRemedy) {
  try {
    require_cupti(CUPTI_ERROR_INSUFFICIENT_PRIVILEGES, "cuptiRangeProfilerEnable");
    FAIL() << "nothing was thrown";
  } catch (const CuptiError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("cuptiRangeProfilerEnable"), text.npos) << text;
    EXPECT_NE(text.find("CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"), text.npos) << text;
    EXPECT_NE(text.find("NVreg_RestrictProfilingToAdminUsers=0"), text.npos) << text;
  }
}

TEST(CuptiError, ABusyDeviceNamesWhoMayHoldIt) {
  EXPECT_NE(remedy(CUPTI_ERROR_HARDWARE_BUSY).find("dcgmi"), std::string::npos);
}

}  // namespace
}  // namespace warpgauge::cupti
