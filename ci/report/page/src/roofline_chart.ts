// SPDX-License-Identifier: Apache-2.0
// The chart of the roofline: a dot for each benchmark, and the roofs above them.
import * as Plot from "@observablehq/plot";
import {count, rate, share, shareOfCeiling, shortened} from "./format";
import {seen} from "./dom";
import {placeNames, type Placed} from "./names";
import {figurePlot} from "./plots";
import {benchmarkAddress} from "./routes";
import {partsOf, type Achieved, type Benchmark, type Verdict, type Word} from "./verdict";

export interface Reached {
  benchmark: Benchmark;
  achieved: Achieved;
  operationsPerByte: number;
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

// What is drawn, whatever the width.
interface Scene {
  dots: Dot[];
  lines: Line[];
  none: number; // where benchmarks without operations stand: a logarithmic axis has no 0
  slope: number | undefined; // GB/s × operations a byte, where arithmetic ends what bandwidth allows
  x: [number, number];
  y: [number, number];
}

function sceneOf(all: Reached[], ceilings: [string, number][], roofs: Verdict["roofs"]): Scene {
  const stated = dotsOf(all, 0)
    .map((each) => each.x)
    .filter((each) => each > 0);
  const none = (stated.length ? Math.min(...stated) : 1) / 6;
  const dots = dotsOf(all, none);
  const right = 2 * (stated.length ? Math.max(...stated) : none * 4);
  const left = dots.some((each) => each.x === none) ? none / 1.5 : none * 2;
  const shared = roofs?.shared_memory;
  const lines: Line[] = [
    ...ceilings.map(([name, each]) => ({name, y: each / 1e9})),
    ...(shared && dots.some(({where}) => where !== "memory")
      ? [{name: "shared memory, given", y: shared.per_second / 1e9}]
      : []),
  ].sort((a, b) => b.y - a.y);
  const heights = [...dots, ...lines].map((each) => each.y);
  const [lowest, highest] = [Math.min(...heights) / 1.5, Math.max(...heights) * 1.6];
  const peak = roofs?.arithmetic && roofs.arithmetic.per_second / 1e9;
  const slope = peak && peak / right < highest ? peak : undefined;
  return {dots, lines, none, slope, x: [left, right], y: [lowest, highest]};
}

// Beside its point, or where a roof would strike it out above or below.
const nameLifts = [0, -9, 9];

// The name of the sloping roof stands above it, or it would be struck out.
const slopeLift = -7;

const margins = {marginLeft: 58, marginRight: 20, marginBottom: 40, marginTop: 24};

interface Name {
  x: number;
  y: number;
  px: number;
  py: number;
  text: string;
  roof: boolean;
  lifts?: number[];
}

function namesOf(scene: Scene, width: number, height: number): Placed<Name>[] {
  const [[left, right], [lowest, highest]] = [scene.x, scene.y];
  const across = width - margins.marginLeft - margins.marginRight;
  const down = height - margins.marginTop - margins.marginBottom;
  const px = (x: number): number =>
    margins.marginLeft + (across * Math.log(x / left)) / Math.log(right / left);
  const py = (y: number): number =>
    margins.marginTop + (down * Math.log(highest / y)) / Math.log(highest / lowest);
  const ofRoofs = scene.lines.map(({name, y}): Name => {
    const text = `${name} ${rate(y * 1e9)}`;
    return {x: right, y, px: width - margins.marginRight + 8, py: py(y) - 8, text, roof: true};
  });
  const onSlope = (scene.slope ? [{x: scene.slope / (highest / 1.4), y: highest / 1.4}] : [])
    .filter(({x}) => x > left)
    .map(({x, y}): Name => {
      const text = "32-bit floats, given";
      return {x, y, px: px(x), py: py(y), text, roof: false, lifts: [slopeLift]};
    });
  const ofDots = scene.dots
    .filter(({word}) => notable.has(word) || width > 600)
    .sort((a, b) => Number(notable.has(b.word)) - Number(notable.has(a.word)) || b.y - a.y)
    .map(({benchmark, x, y}): Name => {
      const {family, variant} = partsOf(benchmark.id);
      const text = shortened(`${family}/${variant}`, 40);
      return {x, y, px: px(x), py: py(y), text, roof: false, lifts: nameLifts};
    });
  return placeNames(
    [...ofRoofs, ...onSlope, ...ofDots],
    scene.dots.map(({x, y}) => ({px: px(x), py: py(y)})),
    scene.lines.map(({y}) => py(y)),
    width,
  );
}

function nameMarks(names: Placed<Name>[]): Plot.Markish {
  const texts = (anchor: "start" | "end", lift: number, roof: boolean): Plot.Markish =>
    Plot.text(
      names.filter((each) => each.roof === roof && each.anchor === anchor && each.lift === lift),
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
  return [
    [...nameLifts, slopeLift].map((lift) => [texts("start", lift, false), texts("end", lift, false)]),
    [texts("start", 0, true), texts("end", 0, true)],
  ];
}

function roofMarks({lines, slope, x: [left, right], y: [, highest]}: Scene): Plot.Markish {
  return [
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
  ];
}

function noneMark({dots, none, y: [lowest]}: Scene): Plot.Markish {
  if (!dots.some((each) => each.x === none)) return null;
  return Plot.text([{x: none, y: lowest}], {
    x: "x",
    y: "y",
    text: () => "none",
    fill: "currentColor",
    dy: 16,
  });
}

function dotMarks({dots}: Scene): Plot.Markish {
  const href = (each: Dot): string => benchmarkAddress(each.benchmark.id);
  const inMemory = dots.filter(({where}) => where === "memory");
  return [
    Plot.dot(
      dots.filter(({where}) => where === "shared memory"),
      {
        x: "x",
        y: "y",
        r: 3.5,
        symbol: "square",
        stroke: (each: Dot) => (notable.has(each.word) ? `var(--${each.word})` : "var(--same)"),
        strokeWidth: 1.5,
        href,
      },
    ),
    Plot.dot(
      inMemory.filter(({word}) => !notable.has(word)),
      {x: "x", y: "y", r: 3, fill: "var(--same)", fillOpacity: 0.75, href},
    ),
    Plot.dot(
      inMemory.filter(({word}) => notable.has(word)),
      {
        x: "x",
        y: "y",
        r: 5,
        symbol: (each: Dot) => each.word,
        fill: (each: Dot) => `var(--${each.word})`,
        stroke: "var(--paper)",
        href,
      },
    ),
  ];
}

function tipMark({dots}: Scene): Plot.Markish {
  return Plot.tip(
    dots,
    Plot.pointer({
      x: "x",
      y: "y",
      fill: "var(--paper)",
      stroke: "var(--rule)",
      ariaHidden: "true",
      title: label,
    }),
  );
}

function plotOptions(scene: Scene, width: number): Plot.PlotOptions {
  const height = Math.max(320, Math.min(520, width * 0.55));
  return {
    height,
    ...margins,
    x: {
      type: "log",
      label: "operations a byte →",
      domain: scene.x,
      ticks: steps(scene.none * 3, scene.x[1]),
      tickFormat: (value: number) => String(Number(value.toPrecision(2))),
    },
    y: {
      type: "log",
      label: "↑ GB/s",
      domain: scene.y,
      grid: true,
      ticks: steps(...scene.y),
      tickFormat: (value: number) => count(value),
    },
    symbol: {
      domain: ["quiet", "regressed", "improved", "inconclusive"],
      range: ["circle", "triangle", downwards, "diamond"],
    },
    marks: [
      roofMarks(scene),
      noneMark(scene),
      nameMarks(namesOf(scene, width, height)),
      dotMarks(scene),
      tipMark(scene),
    ],
    color: {type: "identity"},
  };
}

export function rooflineChart(
  all: Reached[],
  ceilings: [string, number][],
  roofs: Verdict["roofs"],
): HTMLElement {
  const scene = sceneOf(all, ceilings, roofs);
  return figurePlot(
    `Bandwidth of ${all.length} benchmarks against ${scene.lines.length + (scene.slope ? 1 : 0)} roofs; the figures are in the table below`,
    (width) => plotOptions(scene, width),
    (datum) => (location.hash = benchmarkAddress((datum as Dot).benchmark.id)),
  );
}
