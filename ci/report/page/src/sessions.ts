// SPDX-License-Identifier: Apache-2.0
// The baseline's sessions, in order, and the new session.
import * as Plot from "@observablehq/plot";
import {count, counted, figure, timeUnit} from "./format";
import {folded, foreign, h, scrolling, section} from "./dom";
import {figurePlot} from "./plots";
import {leadingMetric, type Benchmark, type Metric} from "./verdict";

interface Session {
  side: "before" | "after";
  label: string;
  figures: number[];
}

function sessionsOf(metric: Metric): Session[] {
  const side = (name: Session["side"], sessions: Metric["before_sessions"]): Session[] =>
    (sessions ?? []).map(({label, figures}) => ({
      side: name,
      label,
      figures: figures.filter((each): each is number => each != null),
    }));
  return [
    ...side("before", metric.before_sessions),
    ...side("after", metric.after_sessions),
  ].filter(({figures}) => figures.length > 0);
}

const compact = new Intl.NumberFormat("en-US", {notation: "compact", maximumSignificantDigits: 5});

// "1,100", "250M": short enough for a phone's margin.
const short = (value: number): string =>
  Math.abs(value) < 1e5 ? count(value) : compact.format(value);

// "2026-11-21T10:43:00Z GPU-1234" → "11-21 10:43"; other labels are cut.
export function shortLabel(label: string): string {
  const stamp = /^\d{4}-(\d{2}-\d{2})T(\d{2}:\d{2})/.exec(label);
  if (stamp) return `${stamp[1]} ${stamp[2]}`;
  const characters = [...label];
  return characters.length > 14 ? `${characters.slice(0, 13).join("")}…` : label;
}

function sessionsPlot(metric: Metric, sessions: Session[]): HTMLElement {
  const [unit, unitName] =
    metric.unit === "ns"
      ? timeUnit(Math.min(...sessions.flatMap(({figures}) => figures)))
      : [1, metric.unit];
  const most = Math.max(...sessions.map(({figures}) => figures.length));
  const dotsOf = (side: Session["side"], process: number): {x: number; y: number}[] =>
    sessions.flatMap((session, i) => {
      const each = session.figures[process];
      return session.side === side && each !== undefined ? [{x: i, y: each / unit}] : [];
    });
  const band =
    metric.before != null && metric.floor != null
      ? [
          {
            y1: (metric.before * (1 - metric.floor)) / unit,
            y2: (metric.before * (1 + metric.floor)) / unit,
          },
        ]
      : [];
  const options = (width: number): Plot.PlotOptions => {
    // A session's processes are drawn side by side, or equal ones would look like one.
    const step = Math.min(7, (0.6 * width) / sessions.length / most);
    const slanted = width / sessions.length < 92;
    return {
      height: slanted ? 280 : 250,
      marginLeft: 60,
      marginTop: 30,
      marginBottom: slanted ? 64 : 34,
      x: {
        type: "point",
        domain: sessions.map((_, i) => i),
        padding: 0.6,
        label: null,
        tickSize: 0,
        tickFormat: (i: number) => shortLabel(sessions[i]?.label ?? ""),
        ...(slanted ? {tickRotate: -40} : {}),
      },
      y: {
        label: `${metric.metric}${unitName ? `, ${unitName}` : ""}`,
        grid: true,
        ticks: 5,
        nice: true,
        tickFormat: short,
      },
      marks: [
        Plot.rect(band, {y1: "y1", y2: "y2", fill: "var(--floor)"}),
        Plot.ruleY(metric.before == null ? [] : [metric.before / unit], {
          stroke: "var(--before)",
          strokeDasharray: "4 3",
        }),
        Array.from({length: most}, (_, process) => {
          const dx = step * (process - (most - 1) / 2);
          return [
            Plot.dot(dotsOf("before", process), {
              x: "x",
              y: "y",
              dx,
              r: 3,
              stroke: "var(--before)",
              strokeWidth: 1.4,
            }),
            Plot.dot(dotsOf("after", process), {x: "x", y: "y", dx, r: 3.2, fill: "var(--after)"}),
          ];
        }),
      ],
    };
  };
  return h(
    "div",
    {},
    figurePlot(
      `${metric.metric} of each process in ${sessions.length} sessions, the figures are in the table below`,
      options,
    ),
    h(
      "details",
      {},
      h("summary", {}, "As a table"),
      scrolling(
        `Sessions of ${metric.metric} as a table`,
        h(
          "table",
          {class: "plain"},
          h(
            "thead",
            {},
            h(
              "tr",
              {},
              h("th", {scope: "col"}, "side"),
              h("th", {scope: "col"}, "session"),
              h("th", {scope: "col"}, "figures of its processes"),
            ),
          ),
          h(
            "tbody",
            {},
            sessions.map(({side, label, figures}) =>
              h(
                "tr",
                {},
                h("td", {}, side),
                h("th", {scope: "row"}, foreign(label || "not named")),
                h("td", {}, figures.map((each) => figure(metric.unit, each)).join(", ")),
              ),
            ),
          ),
        ),
      ),
    ),
  );
}

// The leading metric's sessions; of the others, folded, those that are not the same figure throughout.
export function sessionsSection(benchmark: Benchmark): HTMLElement | null {
  const leading = leadingMetric(benchmark);
  const open = leading ? sessionsOf(leading) : [];
  const others = (benchmark.metrics ?? []).flatMap((metric) => {
    const sessions = metric === leading ? [] : sessionsOf(metric);
    const figures = new Set(sessions.flatMap((session) => session.figures));
    return figures.size > 1 ? [{metric, sessions}] : [];
  });
  if (open.length === 0 && others.length === 0) return null;
  return section(
    "Sessions",
    h(
      "p",
      {class: "legend"},
      "A dot is a process, a column a session: hollow ones make the baseline, filled ones are new. Dashed: the baseline’s figure; the band is the policy’s floor about it.",
    ),
    leading && open.length > 0 ? sessionsPlot(leading, open) : null,
    others.length > 0 &&
      folded(`Sessions of ${counted(others.length, "other metric")} that moved`, () =>
        others.map(({metric, sessions}) => sessionsPlot(metric, sessions)),
      ),
  );
}
