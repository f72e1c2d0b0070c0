// SPDX-License-Identifier: Apache-2.0
// verdict.json, as the page reads it. Times in ns, bandwidths in bytes/s. All strings may be hostile:
// they reach the document as text only (see dom.ts). A figure that is not finite arrives as null.

export type Figure = number | null | undefined;

export const verdicts = [
  "failed",
  "missing",
  "not measured",
  "regressed",
  "inconclusive",
  "new",
  "improved",
  "not worse",
  "same",
] as const;
export type Word = (typeof verdicts)[number];

export interface SourceLine {
  file: string;
  line: number;
  column: number;
  function: string;
  text: string;
  access: string;
  width_bytes: number;
  requests: number;
  wavefronts?: number;
  ideal_wavefronts?: number;
  sectors?: number;
  ideal_sectors?: number;
  compiled?: string;
  instructions?: string;
}

export interface Cause {
  before_a_request?: Figure;
  after_a_request?: Figure;
  lines?: {line: SourceLine; before: number; after: number}[];
  no_lines_because?: string;
}

export interface SessionFigures {
  label: string;
  figures: Figure[];
}

export interface Metric {
  metric: string;
  unit: string;
  class: string;
  verdict: Word;
  before?: Figure;
  after?: Figure;
  low?: Figure;
  high?: Figure;
  p?: Figure;
  floor?: Figure;
  reason?: string;
  cause?: Cause;
  before_sessions?: SessionFigures[];
  after_sessions?: SessionFigures[];
}

export interface MachineCode {
  architecture?: string;
  sass_hash?: string;
  instructions?: number;
  code_bytes?: number;
  registers?: number;
  static_shared_bytes?: number;
  stack_bytes?: number;
  spill_store_bytes?: number;
  spill_load_bytes?: number;
}

export interface Kernel {
  name: string;
  before?: MachineCode | null;
  after?: MachineCode | null;
  sass?: SassRow[];
  more_sass?: number;
}

// An instruction before and after; one of the two is empty where only one side has it.
export interface SassRow {
  change: string;
  before: string;
  after: string;
  place: string;
  skipped: number;
}

export interface Work {
  bytes_read: number;
  bytes_written: number;
  operations: number;
}

// The new side's share of what the device's memory can do, or why it is unknown.
export interface Achieved {
  bytes_per_second: number;
  ceiling?: string;
  share_of_ceiling?: number;
  no_share_because?: string;
}

export interface Benchmark {
  id: string;
  verdict: Word;
  message?: string;
  work?: Work;
  achieved?: Achieved;
  metrics?: Metric[];
  samples_before?: Figure[][];
  samples_after?: Figure[][];
  lines_before?: SourceLine[];
  lines_after?: SourceLine[];
  kernels?: Kernel[];
  not_measured?: Record<string, string>;
  remarks?: string[];
}

// Edits of baselines and policy since the merge base.
export interface Edits {
  since: string;
  headline: string;
  baselines?: {edit: string; what: string}[];
  policy?: {edit: string; what: string}[];
  unclear?: string[];
}

export interface Side {
  name: string;
  session?: unknown;
}

export interface Verdict {
  schema: number;
  version?: string;
  before?: Side;
  after?: Side;
  device?: string;
  exit_status?: number;
  outcome?: string;
  conclusion?: string;
  no_baseline?: string;
  approve_command?: string;
  allowed?: string[];
  notes?: string[];
  edits?: Edits;
  counts?: Record<string, number>;
  ceilings?: Record<string, number>;
  benchmarks: Benchmark[];
  sources?: Record<string, string>;
}

// Throws with the problem and the remedy.
export function verdictFrom(value: unknown): Verdict {
  const verdict = value as Partial<Verdict> | null;
  if ((verdict?.schema !== 1 && verdict?.schema !== 2) || !Array.isArray(verdict.benchmarks)) {
    throw new Error(
      `This page reads verdicts of schema 1 and 2, and this one is of schema ${String(verdict?.schema)}. ` +
        "Make the page with the warpgauge that made the verdict.",
    );
  }
  return verdict as Verdict;
}

export function timeOf(benchmark: Benchmark): Metric | undefined {
  return benchmark.metrics?.find((metric) => metric.metric === "time");
}

// The metric that represents the benchmark: the one with the worst verdict; time wins ties.
export function leadingMetric(benchmark: Benchmark): Metric | undefined {
  const time = timeOf(benchmark);
  const first = benchmark.metrics?.[0];
  if (!time || !first) return first;
  return time.verdict === first.verdict && time.class !== "shown" ? time : first;
}

// after ÷ before; Infinity if before is 0; absent if a side is absent.
export function ratioOf(metric: Metric | undefined): number | undefined {
  if (metric?.before == null || metric.after == null) return undefined;
  if (metric.before === metric.after) return 1;
  return metric.after / metric.before;
}

export function familyOf(id: string): string {
  return id.split("/", 1)[0] ?? id;
}
