// SPDX-License-Identifier: Apache-2.0
// Each benchmark's bandwidth against the ceilings measured on the same device.
import * as Plot from "@observablehq/plot";
import {count, rate, share, shareOfCeiling, time} from "./format";
import {foreign, h, identifier, scrolling, section, seen} from "./dom";
import {figurePlot} from "./plots";
import {benchmarkAddress} from "./routes";
import {familyOf, timeOf, type Achieved, type Benchmark, type Verdict, type Word} from "./verdict";
import {badge} from "./words";

interface Reached {
  benchmark: Benchmark;
  achieved: Achieved;
  operationsPerByte: number;
}

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

// Like the marks of the verdicts elsewhere.
const downwards = {
  draw(
    context: {
      moveTo(x: number, y: number): void;
      lineTo(x: number, y: number): void;
      closePath(): void;
    },
    size: number,
  ) {
    const side = Math.sqrt(size / 2);
    context.moveTo(0, side);
    context.lineTo(-side, -0.85 * side);
    context.lineTo(side, -0.85 * side);
    context.closePath();
  },
};

// 1, 2, 5, 10, … between two figures; powers of ten only, where there are many.
function steps(from: number, to: number): number[] {
  const decades = Math.log10(to / from);
  const marks: number[] = [];
  for (let power = Math.floor(Math.log10(from)); power <= Math.log10(to); ++power) {
    for (const step of decades > 2.5 ? [1] : [1, 2, 5]) {
      const value = step * 10 ** power;
      if (value >= from && value <= to) marks.push(value);
    }
  }
  return marks;
}

const notable = new Set<Word>(["regressed", "improved", "inconclusive"]);

function chart(all: Reached[], ceilings: [string, number][]): HTMLElement {
  // A logarithmic axis has no 0: benchmarks without operations are drawn at its left end.
  const stated = all.map((each) => each.operationsPerByte).filter((each) => each > 0);
  const none = (stated.length ? Math.min(...stated) : 1) / 6;
  const some = all.some((each) => each.operationsPerByte === 0);
  const dots = all.map((each) => ({
    ...each,
    x: each.operationsPerByte || none,
    y: each.achieved.bytes_per_second / 1e9,
    word: each.benchmark.verdict,
  }));
  const right = stated.length ? Math.max(...stated) : none * 4;
  const lowest = Math.min(...dots.map((each) => each.y), ...ceilings.map(([, each]) => each / 1e9));
  const highest = Math.max(
    ...dots.map((each) => each.y),
    ...ceilings.map(([, each]) => each / 1e9),
  );
  const lines = [...ceilings]
    .sort((a, b) => b[1] - a[1])
    .map(([name, each]) => ({name, y: each / 1e9}));
  const options = (width: number): Plot.PlotOptions => ({
    height: Math.max(320, Math.min(520, width * 0.55)),
    marginLeft: 58,
    marginRight: 20,
    marginBottom: 40,
    marginTop: 24,
    x: {
      type: "log",
      label: "operations a byte →",
      domain: [some ? none / 1.5 : none * 2, right * 2],
      ticks: steps(none * 3, right * 2),
      tickFormat: (value: number) => String(Number(value.toPrecision(2))),
    },
    y: {
      type: "log",
      label: "↑ GB/s",
      domain: [lowest / 1.5, highest * 1.6],
      grid: true,
      ticks: steps(lowest / 1.5, highest * 1.6),
      tickFormat: (value: number) => count(value),
    },
    symbol: {
      domain: ["quiet", "regressed", "improved", "inconclusive"],
      range: ["circle", "triangle", downwards, "diamond"],
    },
    marks: [
      Plot.ruleY(lines, {
        y: "y",
        stroke: "currentColor",
        strokeDasharray: "6 3",
        strokeOpacity: 0.7,
      }),
      some
        ? Plot.text([{x: none, y: lowest / 1.5}], {
            x: "x",
            y: "y",
            text: () => "none",
            fill: "currentColor",
            dy: 16,
          })
        : null,
      Plot.dot(
        dots.filter((each) => !notable.has(each.word)),
        {x: "x", y: "y", r: 3, fill: "var(--same)", fillOpacity: 0.75},
      ),
      Plot.dot(
        dots.filter((each) => notable.has(each.word)),
        {
          x: "x",
          y: "y",
          r: 5,
          symbol: (each: (typeof dots)[number]) => each.word,
          fill: (each: (typeof dots)[number]) => `var(--${each.word})`,
          stroke: "var(--paper)",
        },
      ),
      Plot.tip(
        dots,
        Plot.pointer({
          x: "x",
          y: "y",
          fill: "var(--paper)",
          stroke: "var(--rule)",
          ariaHidden: "true",
          title: (each: (typeof dots)[number]) => {
            const name = [...each.benchmark.id];
            const part = shareOfCeiling(each.achieved);
            return seen(
              `${name.length > 60 ? `${name.slice(0, 59).join("")}…` : name.join("")}\n${rate(each.achieved.bytes_per_second)}${part ? `, ${part}` : ""}\n${each.word}`,
            );
          },
        }),
      ),
    ],
    color: {type: "identity"},
  });
  return figurePlot(
    `Bandwidth of ${all.length} benchmarks against ${ceilings.length} ceilings; the figures are in the table below`,
    options,
    (datum) => (location.hash = benchmarkAddress((datum as Reached).benchmark.id)),
  );
}

function table(all: Reached[]): HTMLElement {
  const shareOf = ({achieved}: Reached): number => achieved.share_of_ceiling ?? -1;
  const sorted = [...all].sort((a, b) => shareOf(b) - shareOf(a));
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
            h("td", {class: "figure"}, time(timeOf(each.benchmark)?.after ?? 0)),
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
  if (ceilings.length === 0) {
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
      `A dot is one of ${count(all.length)} benchmarks in ${count(families)} families: the least bytes that its problem needs ÷ its time (of several kernels, from the first one’s start to the last one’s end). ` +
        "What fits into the L2 is held against no ceiling and may lie beyond one or far below. " +
        "Dashed: the ceilings measured on this device in the same run. Triangles up: regressed, down: improved; diamonds: inconclusive.",
    ),
    h(
      "dl",
      {class: "ceilings"},
      ceilings.map(([name, each]) =>
        h("div", {}, h("dt", {}, foreign(name)), h("dd", {}, rate(each))),
      ),
    ),
    chart(all, ceilings),
    section("As a table", table(all)),
  );
}
