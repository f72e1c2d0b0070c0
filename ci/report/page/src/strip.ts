// SPDX-License-Identifier: Apache-2.0
// Ratios of all benchmarks on one logarithmic axis: the interval, the floor's band, the verdict's mark.
// Positions are percentages, so that a strip adapts to any width without a script.
import {percent, ratio as ratioText} from "./format";
import {h, svg} from "./dom";
import {leadingMetric, ratioOf, type Benchmark, type Metric} from "./verdict";
import {className, shapeOf} from "./words";

export interface Axis {
  limit: number; // the axis goes from 1/limit to limit; what lies beyond is an arrow at its end
  ticks: [number, string][];
}

const axes: Axis[] = [
  {
    limit: 1.1,
    ticks: [
      [1 / 1.1, "−9 %"],
      [0.95, "−5 %"],
      [1, "0"],
      [1.05, "+5 %"],
      [1.1, "+10 %"],
    ],
  },
  {
    limit: 1.25,
    ticks: [
      [0.8, "−20 %"],
      [0.9, "−10 %"],
      [1, "0"],
      [1.1, "+10 %"],
      [1.25, "+25 %"],
    ],
  },
  {
    limit: 2,
    ticks: [
      [0.5, "÷2"],
      [0.8, "−20 %"],
      [1, "0"],
      [1.25, "+25 %"],
      [2, "×2"],
    ],
  },
];

// The narrowest axis that shows three quarters of the changes: a counter that grew 32-fold must not
// hide the other benchmarks.
export function axisFor(benchmarks: Benchmark[]): Axis {
  const reach = benchmarks
    .flatMap((benchmark) => {
      if (benchmark.verdict === "same") return [];
      const metric = leadingMetric(benchmark);
      const ratios = [ratioOf(metric), metric?.low, metric?.high].filter(
        (each): each is number => each != null && each > 0,
      );
      return ratios.length > 0 ? [Math.max(...ratios.map((each) => Math.abs(Math.log(each))))] : [];
    })
    .sort((a, b) => a - b);
  const most = reach[Math.ceil(0.75 * reach.length) - 1] ?? 0;
  return axes.find(({limit}) => most <= Math.log(limit)) ?? (axes[axes.length - 1] as Axis);
}

const margin = 7; // per cent on either side, for marks at the ends

function position(axis: Axis, ratio: number): number {
  const share = Math.log(ratio) / Math.log(axis.limit);
  return 50 + (50 - margin) * Math.max(-1, Math.min(1, share));
}

function at(value: number): string {
  return `${value.toFixed(2)}%`;
}

export function axisHeader(axis: Axis): HTMLElement {
  return h(
    "span",
    {class: "strip-axis", "aria-hidden": "true"},
    axis.ticks.map(([value, text]) =>
      h("span", {style: `left:${at(position(axis, value))}`}, text),
    ),
  );
}

function description(metric: Metric, ratio: number): string {
  const {low, high} = metric;
  if (low == null || high == null) return ratioText(ratio);
  return `${ratioText(ratio)}, between ${percent(low - 1, 1)} and ${percent(high - 1, 1)} %`;
}

export function strip(axis: Axis, metric: Metric | undefined): SVGSVGElement | null {
  const ratio = ratioOf(metric);
  if (!metric || ratio === undefined || Number.isNaN(ratio)) return null;
  const end = Math.log(ratio) / Math.log(axis.limit);
  const image = svg("svg", {class: "strip", role: "img", "aria-label": description(metric, ratio)});
  for (const [value] of axis.ticks) {
    const x = at(position(axis, value));
    image.append(
      svg("line", {class: value === 1 ? "one" : "tick", x1: x, x2: x, y1: 0, y2: "100%"}),
    );
  }
  if (metric.floor != null && metric.floor > 0) {
    const from = position(axis, Math.max(1 - metric.floor, 1e-9));
    const to = position(axis, 1 + metric.floor);
    image.append(
      svg("rect", {class: "floor", x: at(from), width: at(to - from), y: 0, height: "100%"}),
    );
  }
  const {low, high} = metric;
  if (low != null && high != null && low > 0 && high > 0) {
    image.append(
      svg("line", {
        class: `interval ${className(metric.verdict)}`,
        x1: at(position(axis, low)),
        x2: at(position(axis, high)),
        y1: "50%",
        y2: "50%",
      }),
    );
  }
  const beyond = Math.abs(end) > 1.001;
  // Two chevrons beyond the axis, so that nobody takes them for a value at its end.
  const shape = beyond
    ? end > 0
      ? "M-9-5L-3 0L-9 5M-2-5L4 0L-2 5"
      : "M9-5L3 0L9 5M2-5L-4 0L2 5"
    : shapeOf(metric.verdict);
  image.append(
    svg(
      "svg",
      {x: at(position(axis, ratio)), y: "50%", overflow: "visible"},
      svg("path", {
        class: `mark ${className(metric.verdict)}${beyond ? " beyond" : ""}`,
        d: shape,
        transform: "scale(0.75)",
      }),
    ),
  );
  return image;
}
