// SPDX-License-Identifier: Apache-2.0
// Each benchmark's bandwidth, and what its shared memory moves, against the roofs of the device:
// bandwidths measured in the same run, and what its maker says of shared memory and arithmetic.
import {count, counted, operationRate, rate, share, time} from "./format";
import {foreign, h, identifier, scrolling} from "./dom";
import {rooflineChart, type Reached} from "./roofline_chart";
import {benchmarkAddress} from "./routes";
import {familyOf, nanosecondsOf, type Benchmark, type Roof, type Verdict} from "./verdict";
import {badge} from "./words";

// Benchmarks that move bytes and were timed.
function reachedBy(benchmark: Benchmark): Reached[] {
  const {work, achieved} = benchmark;
  if (!work || !achieved) return [];
  const operationsPerByte = work.operations / (work.bytes_read + work.bytes_written);
  return [{benchmark, achieved, operationsPerByte}];
}

function absentView(why: string): HTMLElement {
  return h(
    "main",
    {id: "main", tabindex: -1},
    h("h1", {}, "Roofline"),
    h("p", {class: "absent"}, "Not measured: ", foreign(why)),
  );
}

function whyNoTime(verdict: Verdict): string {
  for (const {not_measured} of verdict.benchmarks) {
    if (not_measured?.["time"]) return not_measured["time"];
  }
  return "no benchmark has both a time and bytes that its problem moves";
}

// Few enough for their table to stand open.
const mostOpen = 40;

// "12.3 TB/s, 37.0 %"
function ofRoof(
  perSecond: number | undefined,
  text: (value: number) => string,
  fraction: number | undefined,
): string {
  if (perSecond === undefined) return "–";
  return `${text(perSecond)}${fraction === undefined ? "" : `, ${share(fraction)}`}`;
}

function table(all: Reached[]): HTMLElement {
  const shared = ({benchmark}: Reached): number | undefined =>
    benchmark.reached?.share_of_shared_memory;
  const arithmetic = ({benchmark}: Reached): number | undefined =>
    benchmark.reached?.share_of_arithmetic;
  const held = ({achieved}: Reached): number => achieved.share_of_ceiling ?? -1;
  const sorted = [...all].sort((a, b) => held(b) - held(a));
  return scrolling(
    "Bandwidth of each benchmark",
    h(
      "table",
      {class: "plain roofline"},
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          [
            "benchmark",
            "verdict",
            "time",
            "bandwidth",
            "ceiling",
            "of it",
            "operations a byte",
            "shared memory",
            "arithmetic",
          ].map((text, i) =>
            h("th", {scope: "col", class: i === 2 || i === 3 || i > 4 ? "figure" : ""}, text),
          ),
        ),
      ),
      h(
        "tbody",
        {},
        sorted.map((each) =>
          h(
            "tr",
            {},
            h(
              "th",
              {scope: "row", class: "name"},
              h("a", {href: benchmarkAddress(each.benchmark.id)}, identifier(each.benchmark.id)),
            ),
            h("td", {}, badge(each.benchmark.verdict)),
            h("td", {class: "figure"}, time(nanosecondsOf(each.benchmark) ?? 0)),
            h("td", {class: "figure"}, rate(each.achieved.bytes_per_second)),
            h(
              "td",
              {},
              foreign(each.achieved.ceiling ?? `none: ${each.achieved.no_share_because ?? ""}`),
            ),
            h(
              "td",
              {class: "figure"},
              each.achieved.share_of_ceiling == null ? "–" : share(each.achieved.share_of_ceiling),
            ),
            h(
              "td",
              {class: "figure"},
              each.operationsPerByte === 0
                ? "none stated"
                : Number(each.operationsPerByte.toPrecision(3)),
            ),
            h(
              "td",
              {class: "figure"},
              ofRoof(each.benchmark.reached?.shared_bytes_per_second, rate, shared(each)),
            ),
            h(
              "td",
              {class: "figure"},
              ofRoof(each.benchmark.reached?.operations_per_second, operationRate, arithmetic(each)),
            ),
          ),
        ),
      ),
    ),
  );
}

export function rooflineView(verdict: Verdict): HTMLElement {
  const ceilings = Object.entries(verdict.ceilings ?? {}).filter(([, each]) => each > 0);
  const all = verdict.benchmarks.flatMap(reachedBy);
  if (all.length === 0) return absentView(whyNoTime(verdict));
  const {shared_memory, arithmetic} = verdict.roofs ?? {};
  const given: [string, Roof, string][] = [];
  if (shared_memory) given.push(["shared memory", shared_memory, rate(shared_memory.per_second)]);
  if (arithmetic) {
    given.push(["32-bit floats", arithmetic, operationRate(arithmetic.per_second)]);
  }
  if (ceilings.length === 0 && given.length === 0) {
    return absentView(
      "the results hold no ceilings; the benchmarks of the family bandwidth measure them",
    );
  }
  const families = new Set(all.map((each) => familyOf(each.benchmark.id))).size;
  return h(
    "main",
    {id: "main", tabindex: -1},
    h("h1", {}, "Roofline"),
    h(
      "p",
      {class: "legend"},
      `Each dot is one of ${count(all.length)} benchmarks in ${count(families)} families: the fewest bytes that its problem needs ÷ its time (of several kernels, from the first one’s start to the last one’s end). ` +
        "A benchmark whose data fits into the L2 has no ceiling here, and may lie above the line or far below it. " +
        (all.some(({benchmark}) => benchmark.reached?.shared_bytes_per_second)
          ? "A square is its traffic in shared memory: 128 B per wavefront ÷ its time, so bank conflicts show. "
          : "") +
        "Dashed lines: what the device reached in the same run, and what its maker states. Triangles: regressed (up) or improved (down). Diamonds: inconclusive.",
    ),
    h(
      "dl",
      {class: "ceilings"},
      ceilings.map(([name, each]) =>
        h("div", {}, h("dt", {}, foreign(name), ", measured"), h("dd", {}, rate(each))),
      ),
      given.map(([name, roof, text]) =>
        h(
          "div",
          {},
          h("dt", {}, name, ", given: ", foreign(roof.from)),
          h("dd", {}, text),
        ),
      ),
    ),
    rooflineChart(all, ceilings, verdict.roofs),
    h(
      "details",
      {open: all.length <= mostOpen},
      h("summary", {}, "As a table of ", counted(all.length, "benchmark")),
      table(all),
    ),
  );
}
