// SPDX-License-Identifier: Apache-2.0
// One metric over runs: figures with their intervals, and where they changed.
import * as Plot from "@observablehq/plot";
import {count, figure, ratio, timeUnit} from "./format";
import {h} from "./dom";
import {figurePlot} from "./plots";
import {saveButton} from "./save_svg";
import {nameOf, verdictAddress, type Run, type TrendChange, type TrendMetric} from "./trends";

interface Dot {
  run: number;
  y: number;
  low?: number;
  high?: number;
}

export function changeText({before, after}: TrendChange): string {
  return before === 0 ? "from 0" : ratio(after / before);
}

function colour(change: TrendChange): string {
  return change.worse ? "var(--regressed)" : "var(--improved)";
}

// "time over 60 runs: 1 step, 1 drift".
function description(metric: TrendMetric, runs: Run[]): string {
  const changes =
    metric.changes.length === 0
      ? "no change"
      : metric.changes
          .map((each) => `${each.kind} ${changeText(each)}, ${each.worse ? "worse" : "better"}`)
          .slice(0, 10)
          .join("; ");
  return `${metric.metric} over ${runs.length} runs: ${changes}`;
}

export function trendPlot(id: string, metric: TrendMetric, runs: Run[]): HTMLElement {
  const figures = metric.points.map(([, each]) => each);
  const [unit, unitName] = metric.unit === "ns" ? timeUnit(Math.min(...figures)) : [1, metric.unit];
  const dots: Dot[] = metric.points.map(([run, y, low, high]) => ({
    run,
    y: y / unit,
    ...(low != null && high != null ? {low: low / unit, high: high / unit} : {}),
  }));
  const exact = metric.class === "exact";
  const last = runs.length - 1;
  // An exact metric is constant until it changes, so its line extends to the last run.
  const line = exact && dots.length > 0 ? [...dots, {...(dots.at(-1) as Dot), run: last}] : dots;
  const steps = metric.changes.filter(({kind}) => kind !== "drift");
  const drifts = metric.changes.filter(({kind}) => kind === "drift");
  const highest = Math.max(...dots.map(({y, high}) => high ?? y));
  const lowest = Math.min(...dots.map(({y, low}) => low ?? y));
  const room = highest > lowest ? 0.12 * (highest - lowest) : Math.abs(highest) * 0.05 || 1;

  const title = (dot: Dot): string => {
    const run = runs[dot.run];
    if (!run) return "";
    const more = verdictAddress(run) ? "\nclick for its verdict" : "";
    return `${nameOf(run)}, run ${run.number}\n${figure(metric.unit, dot.y * unit)}${more}`;
  };
  const options = (width: number): Plot.PlotOptions => {
    // Far enough apart for the runs' names.
    const every = Math.max(1, Math.ceil(runs.length / Math.max(2, Math.floor(width / 110))));
    return {
      height: 260,
      marginLeft: Math.max(52, 28 + 8 * count(Math.round(highest)).length),
      marginTop: 26,
      marginBottom: 34,
      marginRight: 48,
      x: {
        type: "linear",
        domain: [-0.5, last + 0.5],
        label: null,
        ticks: runs.map((_, i) => i).filter((i) => i % every === 0),
        tickFormat: (i: number) => (runs[i] ? nameOf(runs[i]) : ""),
      },
      y: {
        label: `${metric.metric}${unitName ? `, ${unitName}` : ""}`,
        grid: true,
        ticks: 5,
        domain: [lowest - room, highest + room],
      },
      marks: [
        steps.map((change) =>
          Plot.ruleX([change.first - 0.5], {
            stroke: colour(change),
            strokeWidth: 1.5,
            strokeDasharray: "5 3",
          }),
        ),
        Plot.line(line, {
          x: "run",
          y: "y",
          stroke: "var(--before)",
          strokeWidth: 1,
          ...(exact ? {curve: "step-after" as const} : {}),
        }),
        Plot.ruleX(
          dots.filter(({low}) => low !== undefined),
          {x: "run", y1: "low", y2: "high", stroke: "var(--after)", strokeWidth: 2},
        ),
        Plot.dot(dots, {x: "run", y: "y", r: 2.6, fill: "var(--after)"}),
        drifts.map((change) =>
          Plot.link([change], {
            x1: (each: TrendChange) => each.first,
            y1: (each: TrendChange) => each.before / unit,
            x2: (each: TrendChange) => each.last,
            y2: (each: TrendChange) => each.after / unit,
            stroke: colour(change),
            strokeWidth: 2.5,
            strokeDasharray: "8 4",
          }),
        ),
        metric.changes.map((change) =>
          Plot.text([change], {
            x: (each: TrendChange) =>
              each.kind === "drift" ? (each.first + each.last) / 2 : each.first - 0.5,
            frameAnchor: "top",
            dy: -14,
            fill: "var(--ink)",
            text: (each: TrendChange) => `${each.worse ? "▲" : "▼"} ${changeText(each)}`,
          }),
        ),
        Plot.tip(
          dots,
          Plot.pointer({
            x: "run",
            y: "y",
            fill: "var(--paper)",
            stroke: "var(--rule)",
            ariaHidden: "true",
            title,
          }),
        ),
      ],
    };
  };
  const plot = figurePlot(description(metric, runs), options, (datum) => {
    const run = runs[(datum as Dot).run];
    const address = run && verdictAddress(run);
    if (address) location.assign(address);
  });
  return h("div", {class: "trend"}, plot, saveButton(plot, `${id}-${metric.metric}`));
}
