// SPDX-License-Identifier: Apache-2.0
// What a measurement's environment consists of: one table, from which two environments are
// compared, shown beside each other and kept in the history. Knows no figures.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "profiling/results/session.hpp"

namespace warpgauge::results {

// How far a field is expected to differ.
enum class Varies {
  no,
  between_devices,  // of one model
  always,           // from session to session: never a difference
};

struct EnvironmentField {
  const char* name = "";                           // "driver"
  std::string (*value)(const Session&) = nullptr;  // empty: not known
  Varies varies = Varies::no;
  bool moves_clocks = false;  // without any change of a kernel
  bool of_build = false;      // what the suite was made with, not where it ran
  bool optional = false;      // results of old lack it: not known on one side is no difference
  const char* usual = "";     // not worth a row where both sides have it
  const char* note = "";      // what else to say where it differs
  // In the history's database: its column, and the text there. Empty and nullptr: not kept.
  const char* column = "";
  std::string& (*stored)(Session&) = nullptr;
};

[[nodiscard]] std::span<const EnvironmentField> environment_fields();

// A field of both sides.
struct EnvironmentRow {
  const EnvironmentField* field = nullptr;
  std::string before;  // empty: not known
  std::string after;
  bool differs = false;
};

// Of what a side has, but for what is usual. An absent side differs in nothing.
[[nodiscard]] std::vector<EnvironmentRow> environment_table(const std::optional<Session>& before,
                                                            const std::optional<Session>& after);

// Those that differ, but for what varies more than `most`.
[[nodiscard]] std::vector<EnvironmentRow> differences(const Session& before, const Session& after,
                                                      Varies most = Varies::no);

// "driver '580.1' → '590.1', device UUID 'GPU-a' → 'GPU-b'"; "nothing that was recorded" for none.
[[nodiscard]] std::string listed(const std::vector<EnvironmentRow>& differences);

// "hot" or "cold": whether a GPU's caches were emptied before what was timed. Empty: not known, or
// nothing to ask, as with another program or without a clock.
[[nodiscard]] std::string caches_of(const Session& session);

// One timed hot and the other cold: not to be compared as time.
[[nodiscard]] bool hot_and_cold(const Session& before, const Session& after);

// Why the two cannot be compared at all: they are of different devices, of different parts of one,
// or of cards of one name with another architecture or memory, as far as both say. Empty: they can.
[[nodiscard]] std::string different_devices(const Session& before, const Session& after);

// Why the two are not of one program: another command, another range until which all is skipped, or
// a suite. Empty: they are. What was imported does not say.
[[nodiscard]] std::string different_programs(const Session& before, const Session& after);

struct Comparability {
  // Why no verdict may rest on the clock: what moves clocks differs. Empty: it may; for an emulated
  // device, which has no clock, always.
  std::string no_verdict_on_time;
  std::vector<std::string> notes;  // one a difference
};

// Exact counters are gated whatever differs, since a compiler's change is a change, too. Where the
// comparison is of two builds, so is time whatever they were made with, which is told.
[[nodiscard]] Comparability comparability(const Session& before, const Session& after,
                                          bool compares_builds = false);

// So that no verdict may rest on the clock, or since they are of different programs.
[[nodiscard]] bool environments_differ(const Session& before, const Session& after);

}  // namespace warpgauge::results
