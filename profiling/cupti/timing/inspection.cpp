// SPDX-License-Identifier: Apache-2.0
#include "profiling/cupti/timing/inspection.hpp"

#include <cupti.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <limits>
#include <utility>

#include "profiling/cupti/cupti_error.hpp"
#include "profiling/cupti/timing/kernel_samples.hpp"
#include "profiling/harness/trust.hpp"
#include "profiling/harness/unforeseen.hpp"

namespace warpgauge::cupti {
namespace {

constexpr int kWatched = 3;  // the least of them counts

double nanoseconds(std::chrono::nanoseconds duration) {
  return static_cast<double>(duration.count());
}

// The only sample in these records; before its opening lies what prepared it.
KernelSample last_sample(std::vector<KernelRecord> records) {
  std::stable_sort(
      records.begin(), records.end(),
      [](const KernelRecord& a, const KernelRecord& b) { return a.start_ns < b.start_ns; });
  const auto opening =
      std::find_if(records.rbegin(), records.rend(),
                   [](const KernelRecord& record) { return record.role == KernelRole::opening; });
  if (opening == records.rend()) throw DeviceError("CUPTI delivered no record of the opening");
  records.erase(records.begin(), std::prev(opening.base()));
  return group_into_samples(std::move(records), 1).front();
}

// A usual sample, by every clock there is.
struct Watched {
  double kernels_ns = 0;
  double copies_ns = 0;
  double host_ns = 0;   // of the launch, until it returns
  double after_ns = 0;  // from the last record's end, or the launch's return, to an idle device
};

Watched watch(const SampleParts& sample, ActivitySession& session) {
  sample.open();
  const auto start = raw_time();
  sample.launch();
  const auto returned = raw_time();
  const auto returned_by_cupti = cupti_time();
  sample.wait();
  const auto idle = cupti_time();
  Watched watched{.host_ns = nanoseconds(returned - start)};
  const auto records = session.take_records();
  std::uint64_t last_end = static_cast<std::uint64_t>(returned_by_cupti.count());
  for (const KernelRecord& record : records) last_end = std::max(last_end, record.end_ns);
  for (const CopyRecord& copy : session.take_copies()) {
    last_end = std::max(last_end, copy.end_ns);
    watched.copies_ns += static_cast<double>(copy.end_ns - copy.start_ns);
  }
  watched.kernels_ns = last_sample(records).sum_ns;
  watched.after_ns = nanoseconds(idle) - static_cast<double>(last_end);
  return watched;
}

// Copies are recorded as long as this lives.
class RecordedCopies {
 public:
  explicit RecordedCopies(ActivitySession& session) : session_(session) {
    session_.record_copies(true);
  }
  RecordedCopies(const RecordedCopies&) = delete;
  RecordedCopies& operator=(const RecordedCopies&) = delete;
  ~RecordedCopies() {
    try {
      session_.record_copies(false);
    } catch (const CuptiError&) {  // then they are recorded and not looked at
    }
  }

 private:
  ActivitySession& session_;
};

std::vector<std::string> watch_usual(const SampleParts& sample, ActivitySession& session) {
  const RecordedCopies copies(session);
  const KeptPool pool;
  constexpr double kMost = std::numeric_limits<double>::max();
  Watched least{kMost, kMost, kMost, kMost};
  for (int i = 0; i < kWatched; ++i) {
    const Watched one = watch(sample, session);
    least.kernels_ns = std::min(least.kernels_ns, one.kernels_ns);
    least.copies_ns = std::min(least.copies_ns, one.copies_ns);
    least.host_ns = std::min(least.host_ns, one.host_ns);
    least.after_ns = std::min(least.after_ns, one.after_ns);
  }
  require_idle(least.after_ns, least.kernels_ns + least.copies_ns);
  std::vector<std::string> remarks{remark_on_copies(least.copies_ns, least.kernels_ns),
                                   remark_on_host(least.host_ns, least.kernels_ns)};
  std::erase(remarks, "");
  return remarks;
}

}  // namespace

KeptPool::KeptPool() {
  std::uint64_t everything = std::numeric_limits<std::uint64_t>::max();
  constexpr auto kThreshold = cudaMemPoolAttrReleaseThreshold;
  int device = 0;
  const bool kept = cudaGetDevice(&device) == cudaSuccess &&
                    cudaDeviceGetDefaultMemPool(&pool_, device) == cudaSuccess &&
                    cudaMemPoolGetAttribute(pool_, kThreshold, &threshold_) == cudaSuccess &&
                    cudaMemPoolSetAttribute(pool_, kThreshold, &everything) == cudaSuccess;
  if (kept) return;
  pool_ = nullptr;
  static_cast<void>(cudaGetLastError());
}

KeptPool::~KeptPool() {
  if (pool_ != nullptr) {
    cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrReleaseThreshold, &threshold_);
  }
}

std::size_t random_moment(std::size_t most) { return unforeseen_number() % most; }

double time_unseen(const Workload& workload, const SampleParts& sample, ActivitySession& session) {
  workload.surprise();
  sample.open();
  sample.launch();
  sample.wait();
  const double unseen_ns = last_sample(session.take_records()).sum_ns;
  workload.settle();
  workload.relocate();
  sample.launch();  // a fixture's first launch allocates
  sample.wait();
  static_cast<void>(session.take_records());
  return unseen_ns;
}

Inspected inspect(const Workload& workload, const SampleParts& sample, ActivitySession& session) {
  Inspected inspected{.unseen_ns = time_unseen(workload, sample, session)};
  inspected.remarks = watch_usual(sample, session);
  return inspected;
}

void require_usual_time(double unseen_ns, double usual_ns,
                        const std::function<double()>& sample_unseen) {
  constexpr double kLeastNs = 2000;
  constexpr int kMore = 4;
  for (int i = 0; i < kMore && costs_more(unseen_ns, usual_ns, kLeastNs); ++i) {
    unseen_ns = std::min(unseen_ns, sample_unseen());
  }
  require_usual_cost(unseen_ns, usual_ns, kLeastNs, "ns");
}

std::chrono::nanoseconds cupti_time() {
  std::uint64_t now = 0;
  require_cupti(cuptiGetTimestamp(&now), "cuptiGetTimestamp");
  return std::chrono::nanoseconds(now);
}

}  // namespace warpgauge::cupti
