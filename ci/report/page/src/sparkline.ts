// SPDX-License-Identifier: Apache-2.0
// A benchmark's times so far, as a line without axes: of a history where the page has one, else of
// the baseline's sessions. The last point is the new side.
import {counted, figure} from "./format";
import {svg} from "./dom";
import {timeOf, type Benchmark, type RunHistory} from "./verdict";

export interface Series {
  figures: number[]; // the oldest first
  of: string; // "60 runs", "5 sessions"
}

function median(figures: number[]): number {
  const sorted = [...figures].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2
    ? (sorted[middle] ?? 0)
    : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}

// Nothing where there are fewer than two points.
export function seriesOf(
  benchmark: Benchmark,
  history: RunHistory | undefined,
): Series | undefined {
  const time = timeOf(benchmark);
  const now = time?.after;
  const known =
    history && Object.hasOwn(history.time, benchmark.id) ? history.time[benchmark.id] : undefined;
  const past = known
    ? known.map(([, each]) => each)
    : (time?.before_sessions ?? []).flatMap(({figures}) => {
        const finite = figures.filter((each): each is number => each != null);
        return finite.length > 0 ? [median(finite)] : [];
      });
  const figures = [...past, ...(now == null ? [] : [now])];
  if (past.length === 0 || figures.length < 2) return undefined;
  return {figures, of: counted(past.length, known ? "run" : "session")};
}

const [width, height, margin] = [92, 22, 3];

export function sparkline(series: Series): SVGSVGElement {
  const {figures} = series;
  const [low, high] = [Math.min(...figures), Math.max(...figures)];
  // A line that wiggles by less than 2 % looks still.
  const range = Math.max(high - low, 0.02 * high) || 1;
  const bottom = (low + high) / 2 - range / 2;
  const x = (i: number): number => margin + ((width - 2 * margin) * i) / (figures.length - 1);
  const y = (each: number): number =>
    height - margin - ((height - 2 * margin) * (each - bottom)) / range;
  const path = figures
    .map((each, i) => `${i ? "L" : "M"}${x(i).toFixed(1)} ${y(each).toFixed(1)}`)
    .join("");
  const last = figures.length - 1;
  const said = `time over ${series.of}, ${figure("ns", low)} to ${figure("ns", high)}, now ${figure("ns", figures[last])}`;
  return svg(
    "svg",
    {
      class: "sparkline",
      role: "img",
      "aria-label": said,
      viewBox: `0 0 ${width} ${height}`,
      width,
      height,
    },
    svg("title", {}, said),
    svg("path", {d: path}),
    svg("circle", {cx: x(last), cy: y(figures[last] ?? 0), r: 2.4}),
  );
}
