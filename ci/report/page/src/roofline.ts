// SPDX-License-Identifier: Apache-2.0
// Each benchmark's bandwidth, and what its shared memory moves, against the roofs of the device:
// bandwidths measured in the same run, and what its maker says of shared memory and arithmetic.
import * as Plot from "@observablehq/plot";
import {count, counted, operationRate, rate, share, shareOfCeiling, shortened, time} from "./format";
import {foreign, h, identifier, scrolling, seen} from "./dom";
import {figurePlot} from "./plots";
import {benchmarkAddress} from "./routes";
import {
  familyOf,
  nanosecondsOf,
  partsOf,
  type Achieved,
  type Benchmark,
  type Roof,
  type Verdict,
  type Word,
} from "./verdict";
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

// Few enough for their table to stand open.
const mostOpen = 40;

const notable = new Set<Word>(["regressed", "improved", "inconclusive"]);

interface Dot extends Reached {
  x: number;
  y: number; // GB/s
  word: Word;
  where: "memory" | "shared memory";
}

function label({benchmark, y, where, achieved}: Dot): string {
  const part =
    where === "memory" ? shareOfCeiling(achieved) : shareOf(benchmark.reached?.share_of_shared_memory);
  return seen(
    `${shortened(benchmark.id, 60)}\n${where}: ${rate(y * 1e9)}${part ? `, ${part}` : ""}\n${benchmark.verdict}`,
  );
}

function shareOf(fraction: number | undefined): string | undefined {
  return fraction === undefined ? undefined : share(fraction);
}

function dotsOf(all: Reached[], none: number): Dot[] {
  return all.flatMap((each): Dot[] => {
    const {benchmark, achieved} = each;
    const shared = benchmark.reached?.shared_bytes_per_second;
    const operations = benchmark.reached?.operations_per_second;
    const word = benchmark.verdict;
    const y = achieved.bytes_per_second / 1e9;
    return [
      {...each, x: each.operationsPerByte || none, y, word, where: "memory"},
      ...(shared
        ? [
            {
              ...each,
              x: operations ? operations / shared : none,
              y: shared / 1e9,
              word,
              where: "shared memory" as const,
            },
          ]
        : []),
    ];
  });
}

interface Line {
  name: string;
  y: number; // GB/s
}

type Box = [left: number, top: number, right: number, bottom: number];

interface Named {
  px: number;
  py: number;
  text: string;
  roof: boolean;
  lifts?: number[]; // how far the name may stand below its point, the best first
}

type Placed<D> = D & {anchor: "start" | "end"; lift: number};

// Places names beside points, the notable ones first, so that none covers another one or a mark, or
// stands beside another one's mark: x and y in pixels. A roof strikes a name out only where that has
// no other place. A roof's name covers marks rather than be left out.
export function placeNames<D extends Named>(
  dots: D[],
  marks: {px: number; py: number}[],
  roofs: number[],
  width: number,
): Placed<D>[] {
  const [letter, line, mark] = [6.4, 13, 4];
  const taken: Box[] = [];
  const drawn = marks.map(({px, py}): Box => [px - mark, py - mark, px + mark, py + mark]);
  const isFree = ([left, top, right, bottom]: Box, boxes: Box[]): boolean =>
    boxes.every(([l, t, r, b]) => left >= r || right <= l || top >= b || bottom <= t);
  return dots.flatMap((dot) => {
    const wide = letter * dot.text.length;
    const lifts = dot.lifts ?? [0];
    const places = [...lifts.map((lift) => [lift, false]), [lifts[0] ?? 0, true]] as [number, boolean][];
    const isOthers = (middle: number, lift: number): boolean =>
      marks.some(
        ({px, py}) =>
          py !== dot.py && Math.abs(px - dot.px) < 10 && Math.abs(py - middle) < Math.abs(lift),
      );
    for (const [lift, anchor, struck] of places.flatMap(([lift, struck]) => [
      [lift, "start", struck] as const,
      [lift, "end", struck] as const,
    ])) {
      const left = anchor === "start" ? dot.px + 8 : dot.px - 8 - wide;
      const middle = dot.py + lift;
      const box: Box = [left, middle - line / 2, left + wide, middle + line / 2];
      if (left < 0 || box[2] >= width || !isFree(box, taken)) continue;
      if (!dot.roof && !isFree(box, drawn)) continue;
      if (!dot.roof && !struck && roofs.some((each) => each > box[1] && each < box[3])) continue;
      if (!dot.roof && isOthers(middle, lift)) continue;
      taken.push(box);
      return [{...dot, anchor, lift}];
    }
    return [];
  });
}

// Beside its point, or where a roof would strike it out above or below.
const nameLifts = [0, -9, 9];

// The name of the sloping roof stands above it, or it would be struck out.
const slopeLift = -7;

const margins = {marginLeft: 58, marginRight: 20, marginBottom: 40, marginTop: 24};

function chart(all: Reached[], ceilings: [string, number][], roofs: Verdict["roofs"]): HTMLElement {
  // A logarithmic axis has no 0: benchmarks without operations are drawn at its left end.
  const stated = dotsOf(all, 0)
    .map((each) => each.x)
    .filter((each) => each > 0);
  const none = (stated.length ? Math.min(...stated) : 1) / 6;
  const dots = dotsOf(all, none);
  const some = dots.some((each) => each.x === none);
  const right = 2 * (stated.length ? Math.max(...stated) : none * 4);
  const left = some ? none / 1.5 : none * 2;
  const shared = roofs?.shared_memory;
  const lines: Line[] = [
    ...ceilings.map(([name, each]) => ({name, y: each / 1e9})),
    ...(shared && dots.some(({where}) => where !== "memory")
      ? [{name: "shared memory, given", y: shared.per_second / 1e9}]
      : []),
  ].sort((a, b) => b.y - a.y);
  const lowest = Math.min(...dots.map((each) => each.y), ...lines.map((each) => each.y)) / 1.5;
  const highest = Math.max(...dots.map((each) => each.y), ...lines.map((each) => each.y)) * 1.6;
  // Where arithmetic ends what bandwidth allows: operations a second ÷ operations a byte.
  const peak = roofs?.arithmetic && roofs.arithmetic.per_second / 1e9;
  const slope = peak && peak / right < highest ? peak : undefined;
  const options = (width: number): Plot.PlotOptions => {
    const height = Math.max(320, Math.min(520, width * 0.55));
    const across = width - margins.marginLeft - margins.marginRight;
    const down = height - margins.marginTop - margins.marginBottom;
    const px = (x: number): number =>
      margins.marginLeft + (across * Math.log(x / left)) / Math.log(right / left);
    const py = (y: number): number =>
      margins.marginTop + (down * Math.log(highest / y)) / Math.log(highest / lowest);
    const names = placeNames(
      [
        ...lines.map((each) => ({
          ...each,
          x: right,
          px: width - margins.marginRight + 8,
          py: py(each.y) - 8,
          text: `${each.name} ${rate(each.y * 1e9)}`,
          roof: true,
        })),
        ...(slope
          ? [{x: slope / (highest / 1.4), y: highest / 1.4, text: "32-bit floats, given", roof: false}]
              .filter(({x}) => x > left)
              .map((each) => ({...each, px: px(each.x), py: py(each.y), lifts: [slopeLift]}))
          : []),
        ...dots
          .filter(({word}) => notable.has(word) || width > 600)
          .sort((a, b) => Number(notable.has(b.word)) - Number(notable.has(a.word)) || b.y - a.y)
          .map((each) => {
            const {family, variant} = partsOf(each.benchmark.id);
            const text = shortened(`${family}/${variant}`, 40);
            return {...each, px: px(each.x), py: py(each.y), text, roof: false, lifts: nameLifts};
          }),
      ],
      dots.map((each) => ({px: px(each.x), py: py(each.y)})),
      lines.map((each) => py(each.y)),
      width,
    );
    const texts = (anchor: "start" | "end", lift: number, roof: boolean): Plot.Markish =>
      Plot.text(
        names.filter(
          (each) => each.roof === roof && each.anchor === anchor && each.lift === lift,
        ),
        {
          x: "x",
          y: "y",
          text: "text",
          textAnchor: anchor,
          dx: roof ? 0 : anchor === "start" ? 8 : -8,
          dy: roof ? -8 : lift,
          fill: roof ? "var(--ink)" : "var(--quiet)",
          fontSize: 11,
          stroke: "var(--paper)",
          strokeWidth: 3,
        },
      );
    const link = (each: Dot): string => benchmarkAddress(each.benchmark.id);
    return {
      height,
      ...margins,
      x: {
        type: "log",
        label: "operations a byte →",
        domain: [left, right],
        ticks: steps(none * 3, right),
        tickFormat: (value: number) => String(Number(value.toPrecision(2))),
      },
      y: {
        type: "log",
        label: "↑ GB/s",
        domain: [lowest, highest],
        grid: true,
        ticks: steps(lowest, highest),
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
        slope
          ? Plot.line(
              [Math.max(left, slope / highest), right].map((x) => ({x, y: slope / x})),
              {x: "x", y: "y", stroke: "currentColor", strokeDasharray: "2 3"},
            )
          : null,
        some
          ? Plot.text([{x: none, y: lowest}], {
              x: "x",
              y: "y",
              text: () => "none",
              fill: "currentColor",
              dy: 16,
            })
          : null,
        [...nameLifts, slopeLift].map((lift) => [texts("start", lift, false), texts("end", lift, false)]),
        [texts("start", 0, true), texts("end", 0, true)],
        Plot.dot(
          dots.filter(({where}) => where === "shared memory"),
          {
            x: "x",
            y: "y",
            r: 3.5,
            symbol: "square",
            stroke: (each: Dot) =>
              notable.has(each.word) ? `var(--${each.word})` : "var(--same)",
            strokeWidth: 1.5,
            href: link,
          },
        ),
        Plot.dot(
          dots.filter(({word, where}) => where === "memory" && !notable.has(word)),
          {x: "x", y: "y", r: 3, fill: "var(--same)", fillOpacity: 0.75, href: link},
        ),
        Plot.dot(
          dots.filter(({word, where}) => where === "memory" && notable.has(word)),
          {
            x: "x",
            y: "y",
            r: 5,
            symbol: (each: Dot) => each.word,
            fill: (each: Dot) => `var(--${each.word})`,
            stroke: "var(--paper)",
            href: link,
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
            title: label,
          }),
        ),
      ],
      color: {type: "identity"},
    };
  };
  return figurePlot(
    `Bandwidth of ${all.length} benchmarks against ${lines.length + (slope ? 1 : 0)} roofs; the figures are in the table below`,
    options,
    (datum) => (location.hash = benchmarkAddress((datum as Dot).benchmark.id)),
  );
}

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
    chart(all, ceilings, verdict.roofs),
    h(
      "details",
      {open: all.length <= mostOpen},
      h("summary", {}, "As a table of ", counted(all.length, "benchmark")),
      table(all),
    ),
  );
}
