// SPDX-License-Identifier: Apache-2.0
// Which threads of a block touched which words of global memory since the block's last barrier, to
// find races within the block. It knows blocks, threads and addresses, no kernels.
//
// Only pages that the block touches between two barriers take room, and only so many: where there
// are more, it forgets and may miss a race. It never reports a false one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "profiling/emulator/execution/warp_clocks.hpp"
#include "profiling/emulator/memory/shared_shadow.hpp"
#include "profiling/emulator/models/access_pattern.hpp"
#include "profiling/emulator/models/bank_model.hpp"

namespace warpgauge::emulator {

// An access by each of some lanes of a warp.
struct ThreadsAccess {
  unsigned first_thread = 0;  // of the warp
  std::uint32_t lanes = 0;
  unsigned bytes = 0;
  RecordKind kind = RecordKind::load;  // load, store or atomic
  bool is_volatile = false;
  AccessPattern::Shape shape = AccessPattern::Shape::other;
  std::uint32_t site = 0;
};

class ThreadsShadow {
 public:
  ThreadsShadow();

  // Takes the block's times from the shadow of its shared memory, which knows its barriers. Call at
  // each barrier and at the start of each block.
  void begin_epoch(const SharedShadow& block);

  // Fence, also one for the block alone: who sees the threads' next atomic or volatile write also
  // sees all they wrote before.
  void fence(unsigned first_thread, std::uint32_t lanes);

  // Whether a fence of the warp's lanes has happened and has not been noted yet, because lanes
  // before them in the warp's order lag behind. Until it is, the order of accesses is not known:
  // nothing is noted.
  void set_late_fence(unsigned warp, bool late) {
    const std::uint32_t before = late_fences_;
    late_fences_ = (before & ~(1U << warp)) | std::uint32_t{late} << warp;
    if (before == 0 && late) forget();
  }

  // Calls report(lane, const Hazard&, same value) for the lanes whose access races with an earlier
  // one. digests: of what a plain store wrote.
  template <class Report>
  void note(const ThreadsAccess& access, const LaneAddresses& addresses, const LaneDigests& digests,
            const WarpClocks& clocks, Report&& report) {
    const bool atomic = access.kind == RecordKind::atomic || access.is_volatile;
    if (atomic && any_fence_) [[unlikely]]
      hand_over(access, addresses);
    if (late_fences_ != 0) [[unlikely]]
      return;
    if (!atomic && access.shape != AccessPattern::Shape::other &&
        note_at_once(access, addresses, digests, clocks)) {
      return;
    }
    for_each_lane(access.lanes, [&](unsigned lane) {
      const Found found = note_lane(access, lane, addresses[lane], digests[lane], clocks);
      if (found.hazard) [[unlikely]]
        report(lane, *found.hazard, found.same_value);
    });
  }

 private:
  static constexpr std::size_t kPageBytes = 4096;
  static constexpr std::size_t kMostRooms = 1024;  // each of a page by the word, or of a quarter
  static constexpr std::size_t kSlots = 4 * kMostRooms;  // of the table of pages, a power of two

  struct Page {
    std::uintptr_t number = 0;
    std::uint32_t time = 0;   // when it was filled; of another time: empty
    std::uint32_t room = 0;   // its first, in shadow_
    std::uint32_t scale = 1;  // 4: by the byte, each of which is a word of shadow_
  };
  struct Found {
    std::optional<Hazard> hazard;
    bool same_value = false;
  };

  [[nodiscard]] const Page& page_of(std::uintptr_t address, unsigned bytes);
  [[nodiscard]] Page& find(std::uintptr_t number);
  [[nodiscard]] std::uint32_t take_rooms(std::uint32_t count);
  void go_by_the_byte(Page& page);
  void forget();
  void hand_over(const ThreadsAccess& access, const LaneAddresses& addresses);
  [[nodiscard]] bool note_at_once(const ThreadsAccess& access, const LaneAddresses& addresses,
                                  const LaneDigests& digests, const WarpClocks& clocks);
  [[nodiscard]] Found note_lane(const ThreadsAccess& access, unsigned lane, std::uintptr_t address,
                                std::uint16_t digest, const WarpClocks& clocks);
  [[nodiscard]] Found note_part(const ThreadsAccess& access, unsigned thread,
                                std::uintptr_t address, unsigned bytes, std::uint16_t digest,
                                const WarpClocks& clocks);
  void set_digest(std::size_t word, std::size_t words, std::uint16_t digest);

  SharedShadow shadow_;
  std::vector<std::uint16_t> digests_;    // by word of shadow_, of the last writes that began there
  std::vector<Page> pages_;               // a hash table with open addressing
  std::vector<std::uint32_t> filled_in_;  // by room: the block's epoch
  std::uint32_t rooms_ = 0;               // that are taken
  std::uint32_t time_ = 1;
  std::uint32_t epoch_ = 0;
  Page* last_ = nullptr;           // that was asked for
  std::uint32_t late_fences_ = 0;  // by warp
  // Since the last barrier:
  bool any_fence_ = false;
  std::array<std::uint32_t, 32> fenced_{};                  // threads, by warp
  std::unordered_map<std::uintptr_t, unsigned> published_;  // words, with the thread that did it
};

}  // namespace warpgauge::emulator
