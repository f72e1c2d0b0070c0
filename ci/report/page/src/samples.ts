// SPDX-License-Identifier: Apache-2.0
// Every launch of every process on one axis of time: before above, after below.
import * as Plot from "@observablehq/plot";
import {count, time, timeUnit} from "./format";
import {foreign, h, scrolling, section} from "./dom";
import {figurePlot} from "./plots";
import {timeOf, type Benchmark, type Figure} from "./verdict";

type Side = "before" | "after";

interface Process {
  side: Side;
  label: string;
  samples: number[];
  launches: number; // of which the samples are some
  mark: number | undefined; // the process's figure
}

function finite(figures: Figure[]): number[] {
  return figures.filter((each): each is number => each != null);
}

// A row of samples or, without samples, of a session's figures, one per process.
function processesOf(benchmark: Benchmark, side: Side): Process[] {
  const time = timeOf(benchmark);
  const sessions = (side === "before" ? time?.before_sessions : time?.after_sessions) ?? [];
  const samples = side === "before" ? benchmark.samples_before : benchmark.samples_after;
  const launches = side === "before" ? benchmark.launches_before : benchmark.launches_after;
  if (samples?.some((process) => process.length > 0)) {
    const figures = sessions.flatMap((session) => session.figures);
    return samples.map((process, i) => ({
      side,
      label: `${side} ${i + 1}`,
      samples: finite(process),
      launches: launches?.[i] ?? process.length,
      mark: figures.length === samples.length ? (figures[i] ?? undefined) : undefined,
    }));
  }
  return sessions.map((session, i) => ({
    side,
    label: sessions.length > 1 ? `${side}, session ${i + 1}` : `${side}, processes`,
    samples: finite(session.figures),
    launches: session.figures.length,
    mark: undefined,
  }));
}

// Offsets of a swarm's dots across its row, from −0.4 to 0.4: dots at the same place on the axis are
// drawn side by side around the middle.
export function swarm(samples: number[], from: number, to: number, places: number): number[] {
  const step = (to - from) / places || 1;
  const taken = new Map<number, number>();
  const ranks = samples.map((sample) => {
    const place = Math.round((sample - from) / step);
    const rank = taken.get(place) ?? 0;
    taken.set(place, rank + 1);
    return rank;
  });
  const most = Math.max(1, ...taken.values());
  const pitch = Math.min(0.1, 0.8 / most);
  return ranks.map((rank) => pitch * (rank % 2 ? (rank + 1) / 2 : -rank / 2));
}

function extent(values: number[]): [number, number] {
  return values.reduce<[number, number]>(
    ([low, high], each) => [Math.min(low, each), Math.max(high, each)],
    [Infinity, -Infinity],
  );
}

// The range of an axis: all samples, except single ones so far off that they would hide the rest.
function span(processes: Process[]): [number, number] {
  const [first, last] = extent(processes.flatMap((process) => process.samples));
  let high = 0;
  for (const {samples} of processes) {
    const sorted = [...samples].sort((a, b) => a - b);
    high = Math.max(high, sorted[Math.floor(0.98 * (sorted.length - 1))] ?? 0);
  }
  return last > high + 2 * (high - first) && high > first
    ? [first, high + 0.1 * (high - first)]
    : [first, last];
}

interface Panel {
  unit: [number, string];
  processes: Process[];
  from: number;
  to: number;
}

// One axis for both sides. If they are so far apart that each would shrink to a dot, each side gets
// its own axis, with the same scale.
function panelsOf(drawn: Process[]): Panel[] {
  const sides = (["before", "after"] as const)
    .map((side) => drawn.filter((process) => process.side === side))
    .filter((processes) => processes.length > 0)
    .map((processes) => ({processes, span: span(processes)}));
  const widest = Math.max(...sides.map((side) => side.span[1] - side.span[0]));
  const [first, last] = extent(sides.flatMap((side) => side.span));
  if (sides.length < 2 || last - first < 6 * widest || widest === 0) {
    const [from, to] = sides.length < 2 ? (sides[0]?.span ?? [0, 1]) : [first, last];
    return [{unit: timeUnit(from), processes: drawn, from, to}];
  }
  return sides.map(({processes, span: [from, to]}) => {
    const middle = (from + to) / 2;
    return {
      unit: timeUnit(first),
      processes,
      from: middle - 0.52 * widest,
      to: middle + 0.52 * widest,
    };
  });
}

function panelPlot(
  {unit: [unit, unitName], processes, from, to}: Panel,
  sample: string,
): HTMLElement {
  const options = (width: number): Plot.PlotOptions => {
    const dots = processes.flatMap((process, row) => {
      const visible = process.samples.filter((sample) => sample >= from && sample <= to);
      const offsets = swarm(visible, from, to, width / 4);
      return visible.map((sample, i) => ({
        side: process.side,
        x: sample / unit,
        y: row + (offsets[i] ?? 0),
      }));
    });
    const marks = processes.flatMap(({mark}, row) =>
      mark === undefined ? [] : [{x: mark / unit, y1: row - 0.44, y2: row + 0.44}],
    );
    const of = (side: Side): typeof dots => dots.filter((dot) => dot.side === side);
    return {
      height: 58 + 30 * processes.length,
      marginLeft: 124,
      marginRight: 20,
      marginTop: 8,
      marginBottom: 42,
      x: {
        label: `time of a ${sample}, ${unitName}`,
        labelAnchor: "center",
        labelArrow: "none",
        labelOffset: 38,
        grid: true,
        domain: [from / unit, to / unit],
        ticks: Math.max(3, width / 120),
      },
      y: {domain: [-0.6, processes.length - 0.4], reverse: true, label: null},
      marks: [
        Plot.axisY(
          processes.map((_, row) => row),
          {tickFormat: (row: number) => processes[row]?.label ?? "", tickSize: 0, label: null},
        ),
        Plot.dot(of("before"), {x: "x", y: "y", r: 2, stroke: "var(--before)", strokeWidth: 1.1}),
        Plot.dot(of("after"), {x: "x", y: "y", r: 2.2, fill: "var(--after)"}),
        Plot.ruleX(marks, {
          x: "x",
          y1: "y1",
          y2: "y2",
          stroke: "var(--paper)",
          strokeWidth: 5,
          strokeOpacity: 0.8,
        }),
        Plot.ruleX(marks, {x: "x", y1: "y1", y2: "y2", stroke: "currentColor", strokeWidth: 2}),
      ],
    };
  };
  return figurePlot(
    `Samples of ${processes.length} processes; the figures are in the table below`,
    options,
  );
}

// sample: what a sample is of, "launch" or "repetition".
export function samplesSection(benchmark: Benchmark, sample: string): HTMLElement {
  const samplesName = sample === "launch" ? "launches" : `${sample}s`;
  const processes = [...processesOf(benchmark, "before"), ...processesOf(benchmark, "after")];
  const drawn = processes.filter((process) => process.samples.length > 0);
  if (drawn.length === 0) {
    const reason = benchmark.not_measured?.["time"];
    return section(
      "Samples",
      h(
        "p",
        {class: "absent"},
        "Not measured: ",
        reason ? foreign(reason) : "the results hold no times of this benchmark",
      ),
    );
  }
  const panels = panelsOf(drawn);
  const hidden = panels.flatMap(({processes: shown, to}) =>
    shown.flatMap((process) => process.samples.filter((sample) => sample > to)),
  );
  const summary = drawn.map(({label, samples, launches, mark}) => {
    const sorted = [...samples].sort((a, b) => a - b);
    const at = (share: number): string =>
      time(sorted[Math.round(share * (sorted.length - 1))] ?? 0);
    return h(
      "tr",
      {},
      h("th", {scope: "row"}, label),
      h("td", {class: "figure"}, count(launches)),
      h("td", {class: "figure"}, at(0)),
      h("td", {class: "figure"}, at(0.5)),
      h("td", {class: "figure"}, at(1)),
      h("td", {class: "figure"}, mark === undefined ? "–" : time(mark)),
    );
  });
  const isSome = drawn.some(({samples, launches}) => samples.length < launches);
  const ofLaunches = [benchmark.samples_before, benchmark.samples_after].some(
    (each) => each?.length,
  );
  return section(
    "Samples",
    h(
      "p",
      {class: "legend"},
      ofLaunches
        ? `A dot is ${isSome ? `one of a process’s ${samplesName}, taken evenly from the fastest to the slowest` : `a ${sample}`}, a row a process; the upright line is the process’s figure, from which the verdict is computed. `
        : `A dot is a process’s figure: the single ${samplesName} are not in these results. `,
      "Hollow: before. Filled: after.",
    ),
    panels.length > 1 &&
      h(
        "p",
        {class: "legend"},
        "The sides lie far apart: each has its own axis, of the same scale.",
      ),
    h("div", {class: "panels"}, panels.map((panel) => panelPlot(panel, sample))),
    hidden.length > 0 &&
      h(
        "p",
        {class: "legend"},
        `Not drawn: ${count(hidden.length)} beyond the axis, up to ${time(extent(hidden)[1])}.`,
      ),
    h(
      "details",
      {},
      h("summary", {}, "As a table"),
      scrolling(
        "Samples as a table",
        h(
          "table",
          {class: "plain"},
          h(
            "thead",
            {},
            h(
              "tr",
              {},
              ["process", samplesName, "least", "median", "greatest", "figure"].map((text, i) =>
                h("th", {scope: "col", class: i ? "figure" : ""}, text),
              ),
            ),
          ),
          h("tbody", {}, summary),
        ),
      ),
    ),
  );
}
