// SPDX-License-Identifier: Apache-2.0
// The report of a program that warpgauge-nvcc links: it asks for this symbol, so that the linker
// takes this file from the library.
#include <filesystem>

#include "profiling/emulator/report/report.hpp"

extern "C" const int warpgauge_emulator_reports_at_exit = 1;

// Sources are named relative to the folder that they were compiled in.
__attribute__((init_priority(101))) static warpgauge::emulator::ReportAtExit report("");
