// SPDX-License-Identifier: Apache-2.0
// Tables of the history, by migrations: one is never changed once released, another is added.
#pragma once

#include <array>
#include <string_view>

namespace warpgauge::ci {

// The rows that are many are those of `figures`, one a benchmark and run with all metrics packed: a
// row a value would take three times the space and twelve times the inserts. Its key puts a
// benchmark's runs side by side, since that is what is read together. What is only ever read whole,
// the results file, is apart from what is searched.
inline constexpr std::array<std::string_view, 1> kHistoryMigrations{R"(
create table environment (
  number integer not null primary key,
  device_kind text not null,
  device_key text not null,
  device_name text not null,
  device_uuid text not null,
  driver text not null,
  cuda text not null,
  host_compiler text not null,
  build_type text not null,
  version text not null
);
create table run (
  number integer not null primary key,
  identity text not null unique,
  environment integer not null references environment,
  created text not null,
  recorded text not null,
  revision text not null,
  modified integer not null,
  commit_time bigint not null,
  commit_time_known integer not null,
  verdict text not null
);
create index run_in_order on run (commit_time, created, number);
create table results (
  run integer not null primary key references run,
  data blob not null
);
create table metric (
  number integer not null primary key,
  name text not null unique
);
create table series (
  number integer not null primary key,
  device_key text not null,
  benchmark text not null,
  unique (device_key, benchmark)
);
create table figures (
  series integer not null references series,
  run integer not null references run,
  data blob not null,
  primary key (series, run)
) {clustered}
)"};

}  // namespace warpgauge::ci
