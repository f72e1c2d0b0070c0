// SPDX-License-Identifier: Apache-2.0
// The verdict, as the page reads it (ci/report/page/page_data.hpp). Times in ns, bandwidths in
// bytes/s. All strings may be hostile: they reach the document as text only (see dom.ts). A figure
// that is not finite arrives as null.

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

export interface WorstLine {
  metric: string;
  before?: Figure; // a request
  after?: Figure;
  line: SourceLine;
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
  same?: boolean; // before as after
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

// The new side, beside its bandwidth: bytes of the wavefronts of shared memory, operations, and the
// shares of the roofs.
export interface Reached {
  shared_bytes_per_second?: number;
  share_of_shared_memory?: number;
  operations_per_second?: number;
  share_of_arithmetic?: number;
}

export interface Roof {
  per_second: number;
  from: string;
}

// Times of the newest runs, by benchmark: index of the run, and the figure.
export interface RunHistory {
  runs: [revision: string, created: string][];
  time: Record<string, [run: number, figure: number][]>;
}

export interface Benchmark {
  id: string;
  verdict: Word;
  message?: string;
  work?: Work;
  achieved?: Achieved;
  reached?: Reached;
  metrics?: Metric[];
  // Of exact metrics that are the same on both sides, and of those that are shown only.
  unchanged?: Record<string, Figure>;
  shown?: Record<string, [before: Figure, after: Figure]>;
  samples_before?: Figure[][];
  samples_after?: Figure[][];
  // How many launches there were, of which the samples are some.
  launches_before?: number[];
  launches_after?: number[];
  same_lines?: boolean; // before as after
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
  roofs?: {shared_memory?: Roof; arithmetic?: Roof};
  references?: string[];
  history?: RunHistory;
  benchmarks: Benchmark[];
  sources?: Record<string, string>;
}

// Whether a processor's times were imported: then there are no launches, and there is no GPU.
export function isOfCpu(verdict: Verdict): boolean {
  const session = (verdict.after ?? verdict.before)?.session as
    | {device?: {kind?: string}}
    | undefined;
  return session?.device?.kind === "cpu";
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
  for (const benchmark of verdict.benchmarks) expand(benchmark);
  return verdict as Verdict;
}

// What ci/report/page/page_data.cpp leaves out because something else says it.
function expand(benchmark: Benchmark): void {
  const plain: Metric[] = [
    ...Object.entries(benchmark.unchanged ?? {}).map(
      ([metric, figure]): Metric => ({
        metric,
        unit: "",
        class: "exact",
        verdict: "same",
        before: figure,
        after: figure,
      }),
    ),
    ...Object.entries(benchmark.shown ?? {}).map(
      ([metric, [before, after]]): Metric => ({
        metric,
        unit: "",
        class: "shown",
        verdict: "same",
        before,
        after,
      }),
    ),
  ];
  if (plain.length > 0) {
    plain.sort((a, b) => (a.metric < b.metric ? -1 : 1));
    benchmark.metrics = [...(benchmark.metrics ?? []), ...plain];
  }
  if (benchmark.same_lines) benchmark.lines_before = benchmark.lines_after ?? [];
  for (const kernel of benchmark.kernels ?? []) {
    if (kernel.same) kernel.before = kernel.after ?? null;
  }
}

export function timeOf(benchmark: Benchmark): Metric | undefined {
  return benchmark.metrics?.find((metric) => metric.metric === "time");
}

// Time of the new side. Where there is nothing to compare with there is no metric: then by what it
// moves, and how fast.
export function nanosecondsOf(benchmark: Benchmark): number | undefined {
  const time = timeOf(benchmark)?.after;
  if (time != null) return time;
  const {work, achieved} = benchmark;
  if (!work || !achieved) return undefined;
  return (1e9 * (work.bytes_read + work.bytes_written)) / achieved.bytes_per_second;
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

export interface Parts {
  family: string;
  variant: string;
  size: string;
}

// family/variant/size; of other names, parts are empty.
export function partsOf(id: string): Parts {
  const [family = "", variant = "", ...size] = id.split("/");
  return {family, variant, size: size.join("/")};
}

// The line that grew the most of the first counter that moved.
export function worstLineOf(benchmark: Benchmark): WorstLine | undefined {
  for (const {metric, cause} of benchmark.metrics ?? []) {
    const worst = cause?.lines?.[0];
    if (!worst) continue;
    const {before_a_request: before, after_a_request: after} = cause ?? {};
    return {metric, before, after, line: worst.line};
  }
  return undefined;
}
