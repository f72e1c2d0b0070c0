// SPDX-License-Identifier: Apache-2.0
// What a benchmark achieves of the device's measured ceilings, by the rules of `warpgauge table`
// (ci/table.cpp).
import {timeOf, type Benchmark, type Verdict, type Work} from "./verdict";

export interface Achieved {
  benchmark: Benchmark;
  bytesPerSecond: number;
  operationsPerByte: number;
  ceiling?: {name: string; bytesPerSecond: number; share: number};
}

const negligible = 0.01;

function ceilingFor(work: Work): string {
  if (work.bytes_written < negligible * work.bytes_read) return "read";
  if (work.bytes_read < negligible * work.bytes_written) return "write";
  return "copy";
}

// Far above what memory can feed: time then says nothing about bandwidth.
export function computeBound(work: Work): boolean {
  return work.operations > 8 * (work.bytes_read + work.bytes_written);
}

// Absent where nothing is moved or it was not timed.
export function achieved(benchmark: Benchmark, verdict: Verdict): Achieved | undefined {
  const {work} = benchmark;
  const nanoseconds = timeOf(benchmark)?.after;
  if (!work || nanoseconds == null || !(nanoseconds > 0)) return undefined;
  const bytes = work.bytes_read + work.bytes_written;
  if (!(bytes > 0)) return undefined;
  const bytesPerSecond = (1e9 * bytes) / nanoseconds;
  const name = ceilingFor(work);
  const ceiling = verdict.ceilings?.[name];
  return {
    benchmark,
    bytesPerSecond,
    operationsPerByte: work.operations / bytes,
    ...(ceiling && !computeBound(work)
      ? {ceiling: {name, bytesPerSecond: ceiling, share: bytesPerSecond / ceiling}}
      : {}),
  };
}
