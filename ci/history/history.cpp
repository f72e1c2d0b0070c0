// SPDX-License-Identifier: Apache-2.0
#include "ci/history/history.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>
#include <filesystem>
#include <type_traits>
#include <utility>

#include "ci/history/blobs.hpp"
#include "ci/history/connection/address.hpp"
#include "ci/history/connection/complaint.hpp"
#include "ci/history/connection/database.hpp"
#include "ci/history/history_read.hpp"
#include "ci/history/history_record.hpp"
#include "ci/history/migrations.hpp"
#include "ci/support/errors.hpp"

namespace warpgauge::ci {

struct History::Impl {
  explicit Impl(const std::string& at) : where(at), name(name_of(at)), database(at) {}

  // Runs the body and tells what the database complains of as our own error.
  template <typename Body>
  auto guarded(const Body& body) -> std::invoke_result_t<Body> {
    return told_as_error(where, body);
  }

  template <typename Body>
  static auto told_as_error(const std::string& where, const Body& body)
      -> std::invoke_result_t<Body> {
    try {
      return body();
    } catch (const soci::soci_error& error) {
      throw complaint_as_error(error, where);
    }
  }

  std::string where;
  std::string name;
  Database database;
};

History::History(const std::string& where, For purpose) {
  if (!is_postgresql(where)) check_file_name(where);
  if (purpose == For::reading && !is_postgresql(where) && !std::filesystem::exists(where)) {
    throw Error(kExitNotMeasured,
                fmt::format("there is no history at {} yet: name another with --history, or begin "
                            "one with warpgauge history record",
                            name_of(where)));
  }
  Impl::told_as_error(where, [&] {
    impl_ = std::make_unique<Impl>(where);
    if (purpose == For::recording) {
      impl_->database.migrate(kHistoryMigrations);
      return;
    }
    if (impl_->database.version() == 0) {
      throw Error(kExitNotMeasured,
                  fmt::format("{} holds no history yet: begin one with warpgauge history record",
                              impl_->name));
    }
    impl_->database.require(kHistoryMigrations);
  });
}

History::~History() = default;

RecordedRun History::record(const NewRun& run) {
  return impl_->guarded([&] { return record_run(impl_->database, run); });
}

std::vector<HistoryRun> History::runs(const std::string& device_key, std::size_t most,
                                      RunOrder order) {
  return impl_->guarded([&] { return runs_of(impl_->database, device_key, most, order); });
}

std::vector<std::string> History::devices() {
  return impl_->guarded([&] { return device_keys(impl_->database); });
}

std::vector<HistorySeries> History::series(const std::string& device_key) {
  return impl_->guarded([&] {
    std::vector<HistorySeries> all;
    for (const auto& [benchmark, number] : numbers_of_benchmarks(impl_->database, device_key)) {
      all.push_back({number, device_key, benchmark});
    }
    return all;
  });
}

std::vector<std::string> History::metrics() {
  return impl_->guarded([&] {
    std::vector<std::string> names;
    for (const auto& [name, number] : numbers_of_metrics(impl_->database)) names.push_back(name);
    return names;
  });
}

std::map<std::string, std::vector<HistoryFigures>> History::figures(
    const HistorySeries& series, const std::vector<HistoryRun>& runs) {
  return impl_->guarded([&] {
    std::map<int, std::vector<HistoryFigures>> by_number;
    for_each_of_figures(impl_->database, series.number, runs,
                        [&](std::size_t run, const std::string& data) {
                          for (auto& [metric, values] : unpack_figures(data)) {
                            by_number[metric].push_back({run, std::move(values)});
                          }
                        });
    std::map<std::string, std::vector<HistoryFigures>> all;
    for (const auto& [name, number] : numbers_of_metrics(impl_->database)) {
      const auto found = by_number.find(number);
      if (found != by_number.end()) all[name] = std::move(found->second);
    }
    return all;
  });
}

std::vector<HistoryFigures> History::figures(const HistorySeries& series, const std::string& metric,
                                             const std::vector<HistoryRun>& runs) {
  return impl_->guarded([&] {
    std::vector<HistoryFigures> found;
    const std::map<std::string, int> numbers = numbers_of_metrics(impl_->database);
    const auto number = numbers.find(metric);
    if (number == numbers.end()) return found;
    for_each_of_figures(impl_->database, series.number, runs,
                        [&](std::size_t run, const std::string& data) {
                          if (auto values = unpack_figures_of(number->second, data)) {
                            found.push_back({run, std::move(*values)});
                          }
                        });
    return found;
  });
}

std::string History::results(int run) {
  return impl_->guarded([&] {
    const auto compressed = compressed_results(impl_->database, run);
    if (compressed) return decompress(*compressed);
    throw Error(kExitUsage, fmt::format("there is no run {} in {}; see warpgauge history list", run,
                                        impl_->name));
  });
}

std::string utc_of(std::int64_t seconds) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(static_cast<std::time_t>(seconds)));
}

}  // namespace warpgauge::ci
