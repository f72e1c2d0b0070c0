// SPDX-License-Identifier: Apache-2.0
// Where, when and with what something was measured: plain data.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "profiling/results/record.hpp"

namespace warpgauge::results {

// What the device's memory did in this measurement at best: reading, writing, copying, and the
// triad of two arrays into a third.
struct Ceilings {
  std::string size = {};  // of the benchmarks that measured it, the largest of the run
  std::map<std::string, double> bytes_per_second = {};  // "read", "write", "copy", "triad"
  std::string not_measured = {};                        // why all are absent; empty: they are not

  friend bool operator==(const Ceilings&, const Ceilings&) = default;
};

// Where results come from that another program measured.
struct Imported {
  std::string program;       // "NVBench 0.1.0"
  bool gpu_clock = false;    // its times are taken on the GPU; if not, by a processor's clock
  bool cuda_events = false;  // … by events around the kernel, not by the kernel's own timestamps
  bool cpu_time = false;     // … what the processor worked, not what passed on the wall
  bool fastest = false;      // … of a process's fastest repetition, not their mean

  friend bool operator==(const Imported&, const Imported&) = default;
};

// More than any cluster measures a run with. Whoever merges them looks through all.
inline constexpr int kMostShards = 10'000;

// A program that is not a suite: what it launched was recorded as it ran.
struct Program {
  std::string command;  // as for a shell, with paths below the current folder as seen from it
  std::string skip_until = {};  // the NVTX range at which it began to count; empty: from the start
  // Of one start, those that launched anything. 0: not known.
  int processes = 0;
  int devices = 0;

  friend bool operator==(const Program&, const Program&) = default;
};

// Which part of a run this is: see docs/guide/fleet.md.
struct Shard {
  int index = 1;  // counted from 1
  int count = 1;
  std::vector<std::string> benchmarks = {};  // ids of the whole run, in the suite's order
  std::string sizes = {};                    // with which it was started
  std::vector<std::string> counters = {};    // beyond the usual

  friend bool operator==(const Shard&, const Shard&) = default;
};

// One of the devices on which the shards of a run were measured.
struct Die {
  std::string created;  // when its first shard was
  std::string uuid;

  friend bool operator==(const Die&, const Die&) = default;
};

// Environment of one measurement.
struct Session {
  std::string created;  // UTC, as in 2026-11-21T04:19:54Z
  Device device;
  std::optional<DeviceSettings> settings;  // absent: the device has none
  Toolchain toolchain;
  Source source;
  std::optional<Ceilings> ceilings;  // absent: a device without a clock
  int processes = 0;                 // that timed; for a backend without a clock, that counted
  std::string filter = {};           // regular expression on ids, of what was measured; empty: all
  bool hot = false;  // timed with the caches as the last launch left them, not emptied
  // Of one of two sides that were measured in turns, the same on both but for its first letter: A
  // of the side before, B of this one. Empty: it was measured alone.
  std::string turns = {};
  std::optional<Imported> imported;     // absent: measured by Warpgauge
  std::optional<Program> program = {};  // absent: a suite
  std::optional<Shard> shard = {};      // absent: a whole run
  // Where shards of several were merged, each a session of its own: `created` is the earliest, and
  // `device` has no UUID. Else empty.
  std::vector<Die> dies = {};

  friend bool operator==(const Session&, const Session&) = default;
};

// "2026-11-21T10:43:00Z GPU-1234": tells sessions of one device apart.
[[nodiscard]] std::string label(const Session& session);
[[nodiscard]] std::string label(const Die& die);

// The UUID in a label, behind which a baseline may say more in brackets. Empty: it names none.
[[nodiscard]] std::string uuid_in(const std::string& label);

// "1b2c3d4e5f60 with changes"; empty where the revision is.
[[nodiscard]] std::string label(const Source& source);

// Whether the two are the sides of one measurement in turns, whichever is which.
[[nodiscard]] bool are_in_turns(const Session& one, const Session& other);

}  // namespace warpgauge::results
