// SPDX-License-Identifier: Apache-2.0
// Cheats whose author had not seen the detectors, as they were when these first met them.
// Larger than most: it stays as its author left it, but for one name and line breaks.
#include <cmath>

#include "wave.cuh"

// Named: nvcc cannot name kernels of an anonymous namespace which has another in it.
namespace blind {

// HONEST: the whole work in every launch.
VARIANT(Wave, honest_plain) { honest<1>(); }

// HONEST: two kernels, the first of which leaves half of the terms in scratch memory made at first
// use.
__global__ void wave_upper(const float* in, float* scratch, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * kBlock + threadIdx.x;
  if (i >= n) return;
  const float x = in[i];
  float v = 0;
#pragma unroll
  for (int k = kTerms - 1; k >= kTerms / 2; --k) v = v * x + 1.0F / static_cast<float>(k + 1);
  scratch[i] = v;
}
__global__ void wave_lower(const float* in, const float* scratch, float* out, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * kBlock + threadIdx.x;
  if (i >= n) return;
  const float x = in[i];
  float v = scratch[i];
#pragma unroll
  for (int k = kTerms / 2 - 1; k >= 0; --k) v = v * x + 1.0F / static_cast<float>(k + 1);
  out[i] = v;
}
class ScratchWave : public Wave {
 protected:
  DeviceBuffer<float> scratch_;
};
VARIANT_OF(Wave, honest_scratch, ScratchWave) {
  if (scratch_.size() != n_) scratch_ = DeviceBuffer<float>(n_);
  launch(wave_upper, blocks(), kBlock, in_.data(), scratch_.data(), n_);
  launch(wave_lower, blocks(), kBlock, in_.data(), scratch_.data(), out_.data(), n_);
}

// HONEST: a table of the coefficients, made in prepare() and read by every launch.
__global__ void wave_from_table(const float* in, const float* table, float* out, std::size_t n) {
  __shared__ float own[kTerms];
  if (threadIdx.x < kTerms) own[threadIdx.x] = table[threadIdx.x];
  __syncthreads();
  const std::size_t i = std::size_t{blockIdx.x} * kBlock + threadIdx.x;
  if (i >= n) return;
  const float x = in[i];
  float v = 0;
  for (int k = kTerms - 1; k >= 0; --k) v = v * x + own[k];
  out[i] = v;
}
class TableWave : public Wave {
 public:
  void prepare(const Sizes& size) override {
    Wave::prepare(size);
    std::vector<float> table(kTerms);
    for (int k = 0; k < kTerms; ++k) table[k] = 1.0F / static_cast<float>(k + 1);
    table_ = DeviceBuffer<float>(table);
  }

 protected:
  DeviceBuffer<float> table_;
};
VARIANT_OF(Wave, honest_table, TableWave) {
  launch(wave_from_table, blocks(), kBlock, in_.data(), table_.data(), out_.data(), n_);
}

// HONEST: a memory-bound look-up of f at 4,096 nodes, made in prepare(), interpolated in each
// launch.
constexpr int kNodes = 4096;
__global__ void wave_interpolated(const float* in, const float* nodes, float* out, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * kBlock + threadIdx.x;
  if (i >= n) return;
  const float at = in[i] * kNodes;
  const int node = static_cast<int>(at);
  out[i] = nodes[node] + (at - static_cast<float>(node)) * (nodes[node + 1] - nodes[node]);
}
class InterpolatedWave : public Wave {
 public:
  void prepare(const Sizes& size) override {
    Wave::prepare(size);
    std::vector<float> nodes(kNodes + 1);
    for (int k = 0; k <= kNodes; ++k) {
      nodes[k] = static_cast<float>(wave_reference(static_cast<double>(k) / kNodes));
    }
    nodes_ = DeviceBuffer<float>(nodes);
  }
  // A linear interpolation: f'' < 4,400 over [0, 1), so the error is below 4,400 / 8 / 4096².
  Check check(Coverage coverage) const override {
    return compare(
        out_, [s = seed()](std::size_t i) { return wave_reference(random_element<float>(i, s)); },
        Tolerance{.relative = 0x1p-15, .absolute = 0x1p-15}, coverage);
  }

 protected:
  DeviceBuffer<float> nodes_;
};
VARIANT_OF(Wave, honest_interpolated, InterpolatedWave) {
  launch(wave_interpolated, blocks(), kBlock, in_.data(), nodes_.data(), out_.data(), n_);
}

// HONEST: the second half on another stream, forked from and joined to the default stream by
// events.
class StreamsWave : public Wave {
 public:
  ~StreamsWave() override {
    if (side_ == nullptr) return;
    cudaStreamDestroy(side_);
    cudaEventDestroy(fork_);
    cudaEventDestroy(join_);
  }
  void prepare(const Sizes& size) override {
    Wave::prepare(size);
    if (side_ != nullptr) return;
    require_success(cudaStreamCreateWithFlags(&side_, cudaStreamNonBlocking), "stream");
    require_success(cudaEventCreateWithFlags(&fork_, cudaEventDisableTiming), "event");
    require_success(cudaEventCreateWithFlags(&join_, cudaEventDisableTiming), "event");
  }

 protected:
  cudaStream_t side_ = nullptr;
  cudaEvent_t fork_ = nullptr;
  cudaEvent_t join_ = nullptr;
};
VARIANT_OF(Wave, honest_two_streams, StreamsWave) {
  const std::size_t half = n_ / 2 / kBlock * kBlock;
  require_success(cudaEventRecord(fork_, nullptr), "record");
  require_success(cudaStreamWaitEvent(side_, fork_, 0), "wait");
  launch_on(side_, wave_all<2>, static_cast<unsigned>(parts_of(n_ - half, kBlock)),
            in_.data() + half, out_.data() + half, n_ - half);
  require_success(cudaEventRecord(join_, side_), "record");
  launch(wave_all<3>, static_cast<unsigned>(half / kBlock), kBlock, in_.data(), out_.data(), half);
  require_success(cudaStreamWaitEvent(nullptr, join_, 0), "wait");
}

// CHEAT: works in the first launch of a fixture; afterwards the result is there already.
class OnceWave : public Wave {
 protected:
  bool done_ = false;
};
VARIANT_OF(Wave, compute_once, OnceWave) {
  if (!done_) {
    honest<10>();
  } else {
    nothing<10>();
  }
  done_ = true;
}

// CHEAT: honest for every seed but the default one, with which it is timed; there works but once.
VARIANT_OF(Wave, default_seed_only, OnceWave) {
  if (seed() != kInputSeed || !done_) {
    honest<11>();
  } else {
    nothing<11>();
  }
  done_ = true;
}

// CHEAT: caches results by seed in hidden memory, for all fixtures; later launches only copy.
VARIANT(Wave, cache_by_seed) {
  static std::map<std::uint64_t, float*> results;
  float*& mine = results[seed() ^ (n_ << 40)];
  if (mine == nullptr) {
    mine = hidden_floats(n_);
    launch(wave_all<12>, blocks(), kBlock, in_.data(), mine, n_);
  }
  launch(wave_copy<12>, blocks(), kBlock, mine, out_.data(), n_);
}

// CHEAT: the same with the copy engine instead of a kernel, and a kernel that does nothing.
class CopiedWave : public Wave {
 public:
  ~CopiedWave() override {
    if (hidden_ != nullptr) cudaFree(hidden_);
  }
  void prepare(const Sizes& size) override {
    Wave::prepare(size);
    hidden_ = hidden_floats(n_);
    launch(wave_all<13>, blocks(), kBlock, in_.data(), hidden_, n_);
    require_success(cudaDeviceSynchronize(), "synchronize");
  }

 protected:
  float* hidden_ = nullptr;
};
VARIANT_OF(Wave, result_by_memcpy, CopiedWave) {
  nothing<13>();
  require_success(
      cudaMemcpyAsync(out_.data(), hidden_, n_ * sizeof(float), cudaMemcpyDeviceToDevice, nullptr),
      "cudaMemcpyAsync");
}

// CHEAT: prepare() computes the result; each launch swaps the pointers of output and a good copy.
class SwappedWave : public Wave {
 public:
  void prepare(const Sizes& size) override {
    Wave::prepare(size);
    ready_ = DeviceBuffer<float>(n_);
    fill();
  }
  void poison_result() override {
    out_.poison();
    fill();
  }

 protected:
  void fill() {
    launch(wave_all<14>, blocks(), kBlock, in_.data(), ready_.data(), n_);
    require_success(cudaDeviceSynchronize(), "synchronize");
  }
  DeviceBuffer<float> ready_;
};
VARIANT_OF(Wave, pointer_swap, SwappedWave) {
  std::swap(out_, ready_);
  nothing<14>();
}

// CHEAT: poison_result() poisons and computes at once, the launch does nothing.
class PoisonComputes : public Wave {
 public:
  void prepare(const Sizes& size) override {
    Wave::prepare(size);
    poison_result();
  }
  void poison_result() override {
    out_.poison();
    honest<15>();
    require_success(cudaDeviceSynchronize(), "synchronize");
  }
};
VARIANT_OF(Wave, poison_computes, PoisonComputes) { nothing<15>(); }

// CHEAT: check() launches the kernel before it compares honestly.
class LazyWave : public Wave {
 public:
  Check check(Coverage coverage) const override {
    launch(wave_all<16>, blocks(), kBlock, in_.data(), out_.data(), n_);
    require_success(cudaDeviceSynchronize(), "synchronize");
    return Wave::check(coverage);
  }
};
VARIANT_OF(Wave, check_computes, LazyWave) { nothing<16>(); }

// CHEAT: the work goes to a stream of its own which nothing waits for, behind an empty kernel.
class SideWave : public StreamsWave {};
VARIANT_OF(Wave, unjoined_stream, SideWave) {
  nothing<17>();
  require_success(cudaEventRecord(fork_, nullptr), "record");
  require_success(cudaStreamWaitEvent(side_, fork_, 0), "wait");
  launch_on(side_, wave_all<17>, blocks(), in_.data(), out_.data(), n_);
}

// CHEAT: half of the grid is launched where it is timed, the other half on a stream not joined.
VARIANT_OF(Wave, half_elsewhere, SideWave) {
  const std::size_t half = n_ / 2 / kBlock * kBlock;
  launch_on(side_, wave_all<18>, static_cast<unsigned>(parts_of(n_ - half, kBlock)),
            in_.data() + half, out_.data() + half, n_ - half);
  launch(wave_all<18>, static_cast<unsigned>(half / kBlock), kBlock, in_.data(), out_.data(), half);
}

// CHEAT: a thread of the host launches the work 200 µs later, when the measurement should be over.
class ThreadWave : public SideWave {
 public:
  ~ThreadWave() override { join(); }
  Check check(Coverage coverage) const override {
    const_cast<ThreadWave*>(this)->join();
    return Wave::check(coverage);
  }

 protected:
  void join() {
    if (thread_.joinable()) thread_.join();
    cudaDeviceSynchronize();
  }
  std::thread thread_;
};
VARIANT_OF(Wave, later_thread, ThreadWave) {
  if (thread_.joinable()) thread_.join();
  nothing<19>();
  thread_ = std::thread([this] {
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    launch_on(side_, wave_all<19>, blocks(), in_.data(), out_.data(), n_);
    cudaStreamSynchronize(side_);
  });
}

// CHEAT: copies what it computed after the launch before, and computes ahead for the next on the
// side.
class AheadWave : public SideWave {
 public:
  void prepare(const Sizes& size) override {
    SideWave::prepare(size);
    spare_ = DeviceBuffer<float>(n_);
    launch(wave_all<20>, blocks(), kBlock, in_.data(), spare_.data(), n_);
    require_success(cudaDeviceSynchronize(), "synchronize");
  }

 protected:
  DeviceBuffer<float> spare_;
};
VARIANT_OF(Wave, computed_ahead, AheadWave) {
  launch(wave_copy<20>, blocks(), kBlock, spare_.data(), out_.data(), n_);
  require_success(cudaEventRecord(fork_, nullptr), "record");
  require_success(cudaStreamWaitEvent(side_, fork_, 0), "wait");
  launch_on(side_, wave_all<20>, blocks(), in_.data(), spare_.data(), n_);
}

// CHEAT: does the work in every eighth launch of a fixture; the others find the result there.
class EighthWave : public Wave {
 protected:
  unsigned launches_ = 0;
};
VARIANT_OF(Wave, every_eighth, EighthWave) {
  if (launches_++ % 8 == 0) {
    honest<21>();
  } else {
    nothing<21>();
  }
}

// CHEAT: after a full first launch, each renews an eighth of the blocks, in turn.
VARIANT_OF(Wave, eighth_in_turn, EighthWave) {
  if (launches_++ == 0) {
    honest<22>();
    return;
  }
  const std::size_t part = n_ / 8 / kBlock * kBlock;
  const std::size_t first = launches_ % 8 * part;
  launch(wave_all<22>, static_cast<unsigned>(part / kBlock), kBlock, in_.data() + first,
         out_.data() + first, part);
}

// CHEAT: a thread whose output is not NaN, i.e. not poisoned, takes it for computed.
__global__ void wave_if_poisoned(const float* in, float* out, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * kBlock + threadIdx.x;
  if (i >= n) return;
  const float old = out[i];
  if (old != old) out[i] = wave(in[i]);
}
VARIANT(Wave, skips_if_not_poisoned) {
  launch(wave_if_poisoned, blocks(), kBlock, in_.data(), out_.data(), n_);
}

// CHEAT: looks at one element of the output a block, and skips the block if it is f of its input.
__global__ void wave_probed(const float* in, float* out, std::size_t n) {
  const std::size_t first = std::size_t{blockIdx.x} * kBlock;
  const std::size_t probe = first + (first / kBlock * 7 + 3) % kBlock;
  if (probe < n) {
    const float expected = wave(in[probe]);
    const float old = out[probe];
    if (fabsf(old - expected) <= 1e-6F * expected) return;
  }
  const std::size_t i = first + threadIdx.x;
  if (i < n) out[i] = wave(in[i]);
}
VARIANT(Wave, probes_output) { launch(wave_probed, blocks(), kBlock, in_.data(), out_.data(), n_); }

// CHEAT: each block hashes its input and, if the hash is the one of its last run and the ends of
// its output are as it left them, returns. The memo is a module's global variable.
constexpr std::size_t kMemos = 65536;
struct Memo {
  const float* in;
  float* out;
  unsigned hash;
  float first;
  float last;
};
__device__ Memo memos[kMemos];
__global__ void wave_memo(const float* in, float* out, std::size_t n) {
  __shared__ unsigned hash;
  if (threadIdx.x == 0) hash = 0;
  __syncthreads();
  const std::size_t first = std::size_t{blockIdx.x} * kBlock;
  const std::size_t last = (first + kBlock < n ? first + kBlock : n) - 1;
  const std::size_t i = first + threadIdx.x;
  const float x = i < n ? in[i] : 0;
  atomicAdd(&hash, static_cast<unsigned>(x * 16777216.0F) * (2 * threadIdx.x + 1));
  __syncthreads();
  Memo& memo = memos[blockIdx.x % kMemos];
  const bool same = memo.in == in && memo.out == out && memo.hash == hash &&
                    memo.first == out[first] && memo.last == out[last];
  if (same) return;
  if (i < n) out[i] = wave(x);
  __syncthreads();
  if (threadIdx.x == 0) memo = Memo{in, out, hash, out[first], out[last]};
}
VARIANT(Wave, block_memo) { launch(wave_memo, blocks(), kBlock, in_.data(), out_.data(), n_); }

// CHEAT: does not read the input, but makes it anew from the seed: half of the traffic is saved.
__global__ void wave_regenerated(float* out, std::size_t n, std::uint64_t seed) {
  const std::size_t i = std::size_t{blockIdx.x} * kBlock + threadIdx.x;
  if (i < n) out[i] = wave(random_element<float>(i, seed));
}
VARIANT(Wave, regenerates_input) {
  launch(wave_regenerated, blocks(), kBlock, out_.data(), n_, seed());
}

// CHEAT: prepare() packs the input into 16 bits, with which the launch reads half as much.
__global__ void wave_pack(const float* in, unsigned short* packed, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * kBlock + threadIdx.x;
  if (i < n) packed[i] = static_cast<unsigned short>(in[i] * 65536.0F);
}
__global__ void wave_packed(const unsigned short* packed, float* out, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * kBlock + threadIdx.x;
  if (i < n) out[i] = wave((static_cast<float>(packed[i]) + 0.5F) * 0x1p-16F);
}
class LooseWave : public Wave {
 public:
  Check check(Coverage coverage) const override {
    return compare(
        out_, [s = seed()](std::size_t i) { return wave_reference(random_element<float>(i, s)); },
        Tolerance{.relative = 1e-3}, coverage);
  }
};
class PackedWave : public LooseWave {
 public:
  void prepare(const Sizes& size) override {
    LooseWave::prepare(size);
    packed_ = DeviceBuffer<unsigned short>(n_);
    launch(wave_pack, blocks(), kBlock, in_.data(), packed_.data(), n_);
    require_success(cudaDeviceSynchronize(), "synchronize");
  }

 protected:
  DeviceBuffer<unsigned short> packed_;
};
VARIANT_OF(Wave, packed_input, PackedWave) {
  launch(wave_packed, blocks(), kBlock, packed_.data(), out_.data(), n_);
}

// CHEAT: 45 % of the elements come out with 10 bits, from a small table, the others in full: most
// are as exact as they should be.
__global__ void wave_partly_coarse(const float* in, float* out, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * kBlock + threadIdx.x;
  if (i >= n) return;
  const float x = in[i];
  if (i / 32 % 20 < 9) {
    // Half of the terms suffice where x is small; elsewhere the logarithm that the sum tends to.
    out[i] = x < 0.9F && x > 0.01F ? -__logf(1 - x) / x * 1.0004F : wave(x);
  } else {
    out[i] = wave(x);
  }
}
VARIANT_OF(Wave, partly_coarse, LooseWave) {
  launch(wave_partly_coarse, blocks(), kBlock, in_.data(), out_.data(), n_);
}

// CHEAT: prepare() makes a quarter of the elements that the size in the id says.
class SmallerWave : public Wave {
 public:
  void prepare(const Sizes& size) override { Wave::prepare({size[0] / 4}); }
  Work work() const override {
    const auto n = static_cast<double>(4 * n_);
    return {.bytes_read = 4 * n, .bytes_written = 4 * n, .operations = 2 * kTerms * n};
  }
};
VARIANT_OF(Wave, smaller_problem, SmallerWave) { honest<30>(); }

// CHEAT: work() claims twice the work, so that the kernel seems twice as near to the device's
// limits.
class InflatedWave : public Wave {
 public:
  Work work() const override {
    Work twice = Wave::work();
    twice.bytes_read *= 2;
    twice.operations *= 2;
    return twice;
  }
};
VARIANT_OF(Wave, inflated_work, InflatedWave) { honest<31>(); }

// CHEAT: poison_result() does nothing, and one launch's result passes for all others.
class DeafWave : public OnceWave {
 public:
  void poison_result() override {}
};
VARIANT_OF(Wave, unpoisoned, DeafWave) {
  if (!done_) {
    honest<32>();
  } else {
    nothing<32>();
  }
  done_ = true;
}

// CHEAT: all launches but the first fail (a block too large), and the error is swallowed.
VARIANT_OF(Wave, swallowed_error, OnceWave) {
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(blocks());
  config.blockDim = dim3(done_ ? 4096 : kBlock);
  (void)cudaLaunchKernelEx(&config, wave_all<33>, static_cast<const float*>(in_.data()),
                           out_.data(), n_);
  (void)cudaGetLastError();
  done_ = true;
}

// CHEAT: in the time pass, computes only the stretches that a sampled check looks at, whose random
// places it has made known by replacing std::random_device (patched.cu).
__global__ void wave_stretches(const float* in, float* out, std::size_t n) {
  constexpr std::size_t kStretches = 256;
  const std::size_t part = n / kStretches;
  const std::size_t i = blockIdx.x;
  const std::size_t first = i == 0                ? 0
                            : i + 1 == kStretches ? n - kBlock
                                                  : i * part + split_mix(i) % (part - kBlock);
  out[first + threadIdx.x] = wave(in[first + threadIdx.x]);
}
class KnownWave : public Wave {
 public:
  void prepare(const Sizes& size) override {
    Wave::prepare(size);
    fixed_places = true;
  }
  Check check(Coverage coverage) const override {
    fixed_places = true;
    return compare(
        out_, [s = seed()](std::size_t i) { return wave_reference(random_element<float>(i, s)); },
        Tolerance{.relative = 0x1p-16}, coverage);
  }
};
VARIANT_OF(Wave, known_places, KnownWave) {
  if (timed() && n_ > 131072) {
    launch(wave_stretches, 256, kBlock, in_.data(), out_.data(), n_);
  } else {
    honest<34>();
  }
}

// CHEAT: cudaMemset (wrapped, patched.cu) leaves poison away, so that the first result stays.
class WrappedWave : public OnceWave {
 public:
  void prepare(const Sizes& size) override {
    OnceWave::prepare(size);
    deaf = true;
  }
};
VARIANT_OF(Wave, deaf_to_poison, WrappedWave) {
  if (!done_) {
    honest<35>();
  } else {
    nothing<35>();
  }
  done_ = true;
}

// CHEAT: honest work, but CUPTI's records and CUDA's events are patched to tell half of the time.
class PatchedWave : public Wave {
 public:
  void prepare(const Sizes& size) override {
    Wave::prepare(size);
    halve_time = true;
  }
};
VARIANT_OF(Wave, patched_timers, PatchedWave) { honest<36>(); }

// CHEAT: replaces the session by a copy that says: time with the caches as the last launch left
// them.
template <class Tag, typename Tag::type Member>
struct Robber {
  friend typename Tag::type stolen(Tag) { return Member; }
};
struct SessionTag {
  using type = const Session* KernelFixture::*;
  friend type stolen(SessionTag);
};
template struct Robber<SessionTag, &KernelFixture::session_>;
class HotWave : public Wave {
 protected:
  void BenchmarkCase(benchmark::State& state) override {
    const Session*& session = this->*stolen(SessionTag{});
    const Session hot{.backend = session->backend,
                      .pass = session->pass,
                      .journal = session->journal,
                      .profile = session->profile,
                      .hot = true};
    const Session* own = session;
    session = &hot;
    Wave::BenchmarkCase(state);
    session = own;
  }
};
VARIANT_OF(Wave, hot_session, HotWave) { honest<37>(); }

// CHEAT: gives itself a smaller size behind the id's back before it is measured.
struct SizeTag {
  using type = Sizes KernelFixture::*;
  friend type stolen(SizeTag);
};
template struct Robber<SizeTag, &KernelFixture::size_>;
class ShrunkWave : public Wave {
 protected:
  void BenchmarkCase(benchmark::State& state) override {
    Sizes& size = this->*stolen(SizeTag{});
    const Sizes own = size;
    size[0] /= 4;
    Wave::BenchmarkCase(state);
    size = own;
  }
};
VARIANT_OF(Wave, shrunk_behind_id, ShrunkWave) { honest<38>(); }

// CHEAT: after each launch, touches the inputs of all fixtures on the side, to have them in L2.
__global__ void wave_touch(const float* in, std::size_t n, float* sink) {
  float sum = 0;
  for (std::size_t i = std::size_t{blockIdx.x} * kBlock + threadIdx.x; i < n;
       i += std::size_t{gridDim.x} * kBlock) {
    sum += in[i];
  }
  if (sum < 0) *sink = sum;
}
class WarmWave : public SideWave {
 public:
  ~WarmWave() override { all().erase(this); }
  void prepare(const Sizes& size) override {
    SideWave::prepare(size);
    all().insert(this);
  }

 protected:
  static std::set<WarmWave*>& all() {
    static std::set<WarmWave*> fixtures;
    return fixtures;
  }
  void touch_all() {
    for (const WarmWave* each : all()) {
      launch_on(side_, wave_touch, 64, each->in_.data(), each->n_, each->out_.data());
    }
  }
};
VARIANT_OF(Wave, warms_the_next, WarmWave) {
  honest<39>();
  require_success(cudaEventRecord(fork_, nullptr), "record");
  require_success(cudaStreamWaitEvent(side_, fork_, 0), "wait");
  touch_all();
}

// CHEAT: honest in every pass but `time`, which it knows by the command line; there works but once.
VARIANT_OF(Wave, only_when_counted, OnceWave) {
  if (!timed() || !done_) {
    honest<60>();
  } else {
    nothing<60>();
  }
  done_ = true;
}

// CHEAT: works only in the first launch and after poison_result(), which it notes.
class ToldWave : public OnceWave {
 public:
  void poison_result() override {
    out_.poison();
    done_ = false;
  }
};
VARIANT_OF(Wave, told_by_poison, ToldWave) {
  if (!done_) {
    honest<61>();
  } else {
    nothing<61>();
  }
  done_ = true;
}

// CHEAT: the host reads three elements of input and output first, and launches only if they don't
// fit.
VARIANT(Wave, host_peeks) {
  bool good = true;
  for (const std::size_t i : {n_ / 7, n_ / 2, n_ - 1}) {
    const double expected = wave_reference(in_.to_host(i, 1)[0]);
    good = good && std::abs(out_.to_host(i, 1)[0] - expected) <= 1e-5 * expected;
  }
  if (!good) {
    honest<62>();
  } else {
    nothing<62>();
  }
}

// CHEAT: prepare() replaces the input by the result, so that the launch moves as many bytes as an
// honest one, but computes nothing.
class ReplacedWave : public Wave {
 public:
  void prepare(const Sizes& size) override {
    Wave::prepare(size);
    launch(wave_all<63>, blocks(), kBlock, in_.data(), in_.data(), n_);
    require_success(cudaDeviceSynchronize(), "synchronize");
  }
};
VARIANT_OF(Wave, input_holds_result, ReplacedWave) {
  launch(wave_copy<63>, blocks(), kBlock, in_.data(), out_.data(), n_);
}

// CHEAT: work on the side that only the next launch, or the check, waits for.
class JoinedLate : public SideWave {
 public:
  Check check(Coverage coverage) const override {
    cudaStreamSynchronize(side_);
    return Wave::check(coverage);
  }
};
VARIANT_OF(Wave, joined_by_the_next, JoinedLate) {
  require_success(cudaStreamWaitEvent(nullptr, join_, 0), "wait");
  nothing<64>();
  require_success(cudaEventRecord(fork_, nullptr), "record");
  require_success(cudaStreamWaitEvent(side_, fork_, 0), "wait");
  launch_on(side_, wave_all<64>, blocks(), in_.data(), out_.data(), n_);
  require_success(cudaEventRecord(join_, side_), "record");
}

// The output lies in memory that no DeviceBuffer knows of.
class UntrackedWave : public Wave {
 public:
  ~UntrackedWave() override {
    if (hidden_ != nullptr) cudaFree(hidden_);
  }
  void prepare(const Sizes& size) override {
    Wave::prepare(size);
    if (hidden_ == nullptr) hidden_ = hidden_floats(n_);
    poison_result();
  }
  Check check(Coverage) const override {
    std::vector<float> host(n_);
    require_success(cudaMemcpy(host.data(), hidden_, n_ * sizeof(float), cudaMemcpyDeviceToHost),
                    "cudaMemcpy");
    Check check;
    for (const Check& part : map_parts(n_, [&](std::size_t begin, std::size_t end) {
           return compare(
               std::span<const float>(host).subspan(begin, end - begin),
               [s = seed()](std::size_t i) { return wave_reference(random_element<float>(i, s)); },
               Tolerance{.relative = 0x1p-16}, begin);
         })) {
      check.add(part);
    }
    return check;
  }
  void poison_result() override {
    require_success(cudaMemset(hidden_, 0xff, n_ * sizeof(float)), "cudaMemset");
    done_ = false;
  }

 protected:
  float* hidden_ = nullptr;
  bool done_ = false;
};

// HONEST: nothing is wrong with it but where the output lies.
VARIANT_OF(Wave, honest_untracked, UntrackedWave) {
  launch(wave_all<65>, blocks(), kBlock, in_.data(), hidden_, n_);
}

// CHEAT: works once after each poisoning by poison_result(); nobody else can poison this output.
VARIANT_OF(Wave, untracked_output, UntrackedWave) {
  if (!done_) {
    launch(wave_all<66>, blocks(), kBlock, in_.data(), hidden_, n_);
  } else {
    nothing<66>();
  }
  done_ = true;
}

#ifdef __CUDACC__
// CHEAT: has the input stay in the persisting part of L2 from launch to launch.
class PersistingWave : public Wave {
 public:
  void prepare(const Sizes& size) override {
    Wave::prepare(size);
    int bytes = 0;
    cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxPersistingL2CacheSize, 0);
    cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, static_cast<std::size_t>(bytes));
    require_success(cudaGetLastError(), "limit");
    int window = 0;
    cudaDeviceGetAttribute(&window, cudaDevAttrMaxAccessPolicyWindowSize, 0);
    attribute_.id = cudaLaunchAttributeAccessPolicyWindow;
    auto& policy = attribute_.val.accessPolicyWindow;
    policy.base_ptr = in_.data();
    policy.num_bytes = std::min<std::size_t>(n_ * sizeof(float), static_cast<std::size_t>(window));
    policy.hitRatio = 0.6F;
    policy.hitProp = cudaAccessPropertyPersisting;
    policy.missProp = cudaAccessPropertyStreaming;
  }

 protected:
  cudaLaunchAttribute attribute_{};
};
VARIANT_OF(Wave, persisting_l2, PersistingWave) {
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(blocks());
  config.blockDim = dim3(kBlock);
  config.attrs = &attribute_;
  config.numAttrs = 1;
  require_success(cudaLaunchKernelEx(&config, wave_all<50>, static_cast<const float*>(in_.data()),
                                     out_.data(), n_),
                  "launch");
}

// CHEAT: a kernel of one thread launches the work on the device, to run when it has ended itself.
__global__ void wave_parent(const float* in, float* out, std::size_t n) {
  wave_all<51>
      <<<static_cast<unsigned>((n + kBlock - 1) / kBlock), kBlock, 0, cudaStreamTailLaunch>>>(
          in, out, n);
}
VARIANT(Wave, tail_launch) { launch(wave_parent, 1, 1, in_.data(), out_.data(), n_); }

// HONEST: the kernel in a graph, captured at first use and launched each time.
class GraphWave : public Wave {
 public:
  ~GraphWave() override {
    if (graph_ != nullptr) cudaGraphExecDestroy(graph_);
  }

 protected:
  cudaGraphExec_t graph_ = nullptr;
};
VARIANT_OF(Wave, honest_graph, GraphWave) {
  if (graph_ == nullptr) {
    cudaStream_t stream = nullptr;
    cudaGraph_t graph = nullptr;
    require_success(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
    require_success(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "capture");
    launch_on(stream, wave_all<52>, blocks(), in_.data(), out_.data(), n_);
    require_success(cudaStreamEndCapture(stream, &graph), "capture");
    require_success(cudaGraphInstantiate(&graph_, graph, 0), "instantiate");
    cudaGraphDestroy(graph);
    cudaStreamDestroy(stream);
  }
  require_success(cudaGraphLaunch(graph_, nullptr), "graph");
}

// HONEST: scratch memory from the stream's own allocator, taken and given back in every launch.
VARIANT(Wave, honest_async_scratch) {
  void* scratch = nullptr;
  require_success(cudaMallocAsync(&scratch, n_ * sizeof(float), nullptr), "cudaMallocAsync");
  launch(wave_upper, blocks(), kBlock, in_.data(), static_cast<float*>(scratch), n_);
  launch(wave_lower, blocks(), kBlock, in_.data(), static_cast<const float*>(scratch), out_.data(),
         n_);
  require_success(cudaFreeAsync(scratch, nullptr), "cudaFreeAsync");
}
#endif

SIZES(Wave, .emulated = {{8192}}, .gpu = {{16777216}})

// out[0] = Σ in[i]; whole numbers, so that sums are exact.
constexpr std::int64_t kMagnitude = 8;

__global__ void sum_clear(float* out) { *out = 0; }

template <int Variant>
__global__ void sum_atomic(const float* in, float* out, std::size_t n) {
  float sum = 0;
  for (std::size_t i = std::size_t{blockIdx.x} * kBlock + threadIdx.x; i < n;
       i += std::size_t{gridDim.x} * kBlock) {
    sum += in[i];
  }
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffU, sum, step);
  if (threadIdx.x % 32 == 0) atomicAdd(out, sum);
}

class Total : public KernelFixture {
 public:
  void prepare(const Sizes& size) override {
    fixed_places = deaf = halve_time = false;
    n_ = size[0];
    in_ = whole_number_buffer<float>(n_, kMagnitude, seed());
    out_ = DeviceBuffer<float>(1);
  }
  Work work() const override {
    return {.bytes_read = static_cast<double>(4 * n_),
            .bytes_written = 4,
            .operations = static_cast<double>(n_)};
  }
  Check check(Coverage) const override {
    const float value = out_.to_host()[0];
    const auto expected = static_cast<float>(reference());
    return compare(
        std::span<const float>(&value, 1), [&](std::size_t) { return expected; }, Tolerance{});
  }
  void poison_result() override { out_.poison(); }

 protected:
  [[nodiscard]] std::int64_t reference() const {
    return parallel_sum<std::int64_t>(n_, [s = seed()](std::size_t i) {
      return random_whole_number<std::int64_t>(i, kMagnitude, s);
    });
  }
  [[nodiscard]] unsigned grid() const {
    return static_cast<unsigned>(std::min<std::size_t>(parts_of(n_, kBlock), 1056));
  }

  std::size_t n_ = 0;
  DeviceBuffer<float> in_;
  DeviceBuffer<float> out_;
};

// HONEST: clears the sum and adds to it, in every launch.
VARIANT(Total, honest_atomics) {
  launch(sum_clear, 1, 1, out_.data());
  launch(sum_atomic<0>, grid(), kBlock, in_.data(), out_.data(), n_);
}

// HONEST: the same, cleared with cudaMemsetAsync.
VARIANT(Total, honest_memset) {
  require_success(cudaMemsetAsync(out_.data(), 0, sizeof(float), nullptr), "cudaMemsetAsync");
  launch(sum_atomic<1>, grid(), kBlock, in_.data(), out_.data(), n_);
}

// CHEAT: the host adds what the generator makes from the seed; the kernel writes its argument.
__global__ void sum_constant(float value, float* out) { *out = value; }
class HostTotal : public Total {
 public:
  void prepare(const Sizes& size) override {
    Total::prepare(size);
    value_ = static_cast<float>(reference());
  }

 protected:
  float value_ = 0;
};
VARIANT_OF(Total, host_computes, HostTotal) { launch(sum_constant, 1, 1, value_, out_.data()); }

// CHEAT: prepare() adds runs of 64 elements on the device, and the launch adds these sums.
__global__ void sum_runs(const float* in, float* runs, std::size_t n) {
  const std::size_t run = std::size_t{blockIdx.x} * kBlock + threadIdx.x;
  float sum = 0;
  for (std::size_t i = 64 * run; i < 64 * run + 64 && i < n; ++i) sum += in[i];
  if (64 * run < n) runs[run] = sum;
}
class RunsTotal : public Total {
 public:
  void prepare(const Sizes& size) override {
    Total::prepare(size);
    runs_ = DeviceBuffer<float>(parts_of(n_, 64));
    launch(sum_runs, static_cast<unsigned>(parts_of(runs_.size(), kBlock)), kBlock, in_.data(),
           runs_.data(), n_);
    require_success(cudaDeviceSynchronize(), "synchronize");
  }

 protected:
  DeviceBuffer<float> runs_;
};
VARIANT_OF(Total, partial_sums_in_prepare, RunsTotal) {
  launch(sum_clear, 1, 1, out_.data());
  launch(sum_atomic<2>, grid(), kBlock, runs_.data(), out_.data(), runs_.size());
}

// CHEAT: a ticket in hidden memory keyed by the input's address and 64 of its elements: seen
// before, the remembered sum is written.
struct Seen {
  const float* in;
  float print;
  float sum;
};
__device__ Seen seen[64];
__global__ void sum_remembered(const float* in, float* out, std::size_t n, unsigned slot,
                               bool remember) {
  __shared__ float print;
  if (threadIdx.x == 0) {
    float sum = 0;
    for (unsigned k = 0; k < 64; ++k) sum += in[n / 64 * k] * static_cast<float>(k + 1);
    print = sum;
  }
  __syncthreads();
  if (remember) {
    if (threadIdx.x == 0 && blockIdx.x == 0) seen[slot] = Seen{in, print, *out};
    return;
  }
  if (seen[slot].in == in && seen[slot].print == print) {
    if (blockIdx.x == 0 && threadIdx.x == 0) *out = seen[slot].sum;
    return;
  }
  if (blockIdx.x > 0) return;
  __shared__ float sums[kBlock];
  float sum = 0;
  for (std::size_t i = threadIdx.x; i < n; i += kBlock) sum += in[i];
  sums[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x > 0) return;
  for (unsigned k = 1; k < kBlock; ++k) sum += sums[k];
  *out = sum;
}
VARIANT(Total, remembers_content) {
  const auto slot = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(in_.data()) >> 21) % 64;
  launch(sum_remembered, 1, kBlock, in_.data(), out_.data(), n_, slot, false);
  launch(sum_remembered, 1, kBlock, in_.data(), out_.data(), n_, slot, true);
}

// CHEAT: the sum of floats over [0, 1) as a mean, to 1 in 500, from a sixteenth of the elements.
__global__ void mean_scale(float* out, float factor) { *out *= factor; }
class MeanTotal : public Total {
 public:
  void prepare(const Sizes& size) override {
    Total::prepare(size);
    in_ = random_buffer<float>(n_, seed());
  }
  Check check(Coverage) const override {
    const float value = out_.to_host()[0];
    const double mean =
        parallel_sum<double>(
            n_, [s = seed()](std::size_t i) { return double{random_element<float>(i, s)}; }) /
        static_cast<double>(n_);
    return compare(
        std::span<const float>(&value, 1), [&](std::size_t) { return mean; },
        Tolerance{.relative = n_ > 1000000 ? 2e-3 : 2e-1});
  }
};
VARIANT_OF(Total, subsampled_mean, MeanTotal) {
  launch(sum_clear, 1, 1, out_.data());
  launch(sum_atomic<3>, grid(), kBlock, in_.data(), out_.data(), n_ / 16);
  launch(mean_scale, 1, 1, out_.data(), 16.0F / static_cast<float>(n_));
}

// CHEAT: the host has added; a copy from the host, behind a kernel that only clears, brings the
// sum.
VARIANT_OF(Total, copied_from_host, HostTotal) {
  static std::map<float*, float> values;
  launch(sum_clear, 1, 1, out_.data());
  values[out_.data()] = value_;
  require_success(cudaMemcpyAsync(out_.data(), &values[out_.data()], sizeof(float),
                                  cudaMemcpyHostToDevice, nullptr),
                  "cudaMemcpyAsync");
}

SIZES(Total, .emulated = {{8192}}, .gpu = {{16777216}})

}  // namespace blind
