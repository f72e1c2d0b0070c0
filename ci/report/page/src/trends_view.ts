// SPDX-License-Identifier: Apache-2.0
// The trends page: all changes, all benchmarks, and each benchmark's metrics over runs.
import {count, counted, figure, probability, shortened} from "./format";
import {foreign, h, identifier, scrolling, section, seen, type Child} from "./dom";
import {frame, noSuchBenchmark} from "./frame";
import {benchmarkAddress, routeOf} from "./routes";
import {
  minute,
  nameOf,
  verdictAddress,
  type Run,
  type TrendChange,
  type TrendMetric,
  type Trends,
} from "./trends";
import {changeText, trendPlot} from "./trend_plot";
import {symbol} from "./words";

type Benchmark = Trends["trends"][number];

interface Found {
  benchmark: Benchmark;
  metric: TrendMetric;
  change: TrendChange;
}

function changesOf(benchmarks: Benchmark[]): Found[] {
  const all = benchmarks.flatMap((benchmark) =>
    benchmark.metrics.flatMap((metric) =>
      metric.changes.map((change) => ({benchmark, metric, change})),
    ),
  );
  // The newest first; within a run, in the benchmarks' order.
  return all.sort((a, b) => b.change.first - a.change.first);
}

function effect(change: TrendChange): Child {
  return h(
    "span",
    {class: "effect"},
    symbol(change.worse ? "regressed" : "improved"),
    change.worse ? " worse" : " better",
  );
}

function runLink(run: Run | undefined): Child {
  if (!run) return null;
  const address = verdictAddress(run);
  const name = foreign(nameOf(run));
  return address ? h("a", {href: address}, name) : name;
}

function table(
  label: string,
  columns: string[],
  rows: Child[][],
  figures: ReadonlySet<number>,
): HTMLElement {
  return scrolling(
    label,
    h(
      "table",
      {class: "plain"},
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          columns.map((name, i) =>
            h("th", {scope: "col", class: figures.has(i) ? "figure" : null}, name),
          ),
        ),
      ),
      h(
        "tbody",
        {},
        rows.map((cells) =>
          h(
            "tr",
            {},
            cells.map((cell, i) =>
              i === 0
                ? h("th", {scope: "row"}, cell)
                : h("td", {class: figures.has(i) ? "figure" : null}, cell),
            ),
          ),
        ),
      ),
    ),
  );
}

function changesTable(trends: Trends, all: Found[]): HTMLElement {
  return table(
    "Changes, the newest first",
    ["benchmark", "metric", "effect", "change", "at", "measured", "before", "after", "by", "p"],
    all.map(({benchmark, metric, change}) => {
      const run = trends.runs[change.first];
      const until = trends.runs[change.last];
      return [
        h("a", {href: benchmarkAddress(benchmark.id)}, identifier(benchmark.id)),
        foreign(metric.metric),
        effect(change),
        change.kind,
        [runLink(run), change.kind === "drift" && [" to ", runLink(until)]],
        run && minute(run.created),
        figure(metric.unit, change.before),
        figure(metric.unit, change.after),
        changeText(change),
        change.p == null ? "–" : probability(change.p),
      ];
    }),
    new Set([6, 7, 8, 9]),
  );
}

function benchmarksTable(benchmarks: Benchmark[]): HTMLElement {
  return table(
    "Table of benchmarks",
    ["benchmark", "metrics", "changes", "newest time"],
    benchmarks.map(({id, metrics}) => {
      const time = metrics.find(({metric}) => metric === "time");
      return [
        h("a", {href: benchmarkAddress(id)}, identifier(id)),
        count(metrics.length),
        count(metrics.reduce((sum, {changes}) => sum + changes.length, 0)),
        time ? figure(time.unit, time.points.at(-1)?.[1]) : "–",
      ];
    }),
    new Set([1, 2, 3]),
  );
}

function overview(trends: Trends, state: {filter: string}): HTMLElement {
  const {runs} = trends;
  const first = runs[0];
  const newest = runs.at(-1);
  const lists = h("div");
  const status = h("p", {class: "status", role: "status"});
  const show = (): void => {
    const wanted = state.filter.toLowerCase();
    const shown = trends.trends.filter(({id}) => id.toLowerCase().includes(wanted));
    const changes = changesOf(shown);
    status.textContent = `${count(shown.length)} of ${counted(trends.trends.length, "benchmark")}, ${counted(changes.length, "change")}`;
    lists.replaceChildren(
      section(
        "Changes",
        changes.length > 0
          ? changesTable(trends, changes)
          : h("p", {class: "none"}, "Nothing changed for good."),
      ),
      section("Benchmarks", benchmarksTable(shown)),
    );
  };
  show();
  return h(
    "main",
    {id: "main", tabindex: -1},
    h("h1", {}, "Trends"),
    h(
      "p",
      {},
      foreign(trends.device),
      `, ${counted(runs.length, "run")}`,
      first && newest && [" from ", runLink(first), " to ", runLink(newest)],
      newest && `, the newest measured ${minute(newest.created)}`,
      ".",
    ),
    h(
      "div",
      {class: "controls"},
      h("label", {for: "filter"}, "Filter"),
      h("input", {
        id: "filter",
        type: "search",
        value: state.filter,
        placeholder: "part of a name",
        input: (event) => {
          state.filter = (event.target as HTMLInputElement).value;
          show();
        },
      }),
      status,
    ),
    lists,
  );
}

function figuresTable(metric: TrendMetric, runs: Run[]): HTMLElement {
  const marks = new Map<number, string[]>();
  const mark = (run: number, text: string): void => {
    marks.set(run, [...(marks.get(run) ?? []), text]);
  };
  for (const change of metric.changes) {
    const words = `${change.kind} ${changeText(change)}, ${change.worse ? "worse" : "better"}`;
    if (change.kind === "drift") {
      mark(change.first, `begin of ${words}`);
      mark(change.last, `end of ${words}`);
    } else {
      mark(change.first, words);
    }
  }
  return table(
    `${metric.metric} as a table`,
    ["commit", "run", "committed", "measured", "die", metric.metric, "interval", "change"],
    metric.points.map(([index, value, low, high]) => {
      const run = runs[index];
      return [
        runLink(run),
        run && count(run.number),
        run?.committed ? minute(run.committed) : "–",
        run && minute(run.created),
        run && foreign([...run.uuid].slice(0, 12).join("") || "–"),
        figure(metric.unit, value),
        low != null && high != null
          ? `${figure(metric.unit, low)} to ${figure(metric.unit, high)}`
          : "–",
        (marks.get(index) ?? []).join("; "),
      ];
    }),
    new Set([1, 5]),
  );
}

function metricSection(id: string, metric: TrendMetric, runs: Run[]): HTMLElement {
  const exact = metric.class === "exact";
  return h(
    "section",
    {"aria-label": metric.metric},
    h("h2", {}, foreign(metric.metric)),
    trendPlot(id, metric, runs),
    h(
      "details",
      {},
      h("summary", {}, exact ? "As a table, of the runs beside each change" : "As a table"),
      figuresTable(metric, runs),
    ),
  );
}

function benchmarkView(trends: Trends, benchmark: Benchmark): HTMLElement {
  const isStill = (each: TrendMetric): boolean =>
    each.class === "exact" && each.changes.length === 0;
  const timeFirst = benchmark.metrics
    .filter((each) => !isStill(each))
    .sort((a, b) => Number(b.metric === "time") - Number(a.metric === "time"));
  const still = benchmark.metrics.filter(isStill);
  return h(
    "main",
    {id: "main", tabindex: -1},
    h(
      "nav",
      {class: "neighbours", "aria-label": "Benchmarks"},
      h("a", {href: "#/"}, "All benchmarks"),
    ),
    h("h1", {class: "id"}, identifier(benchmark.id)),
    h(
      "p",
      {class: "legend"},
      "A dot is the median of a run’s processes, its bar the interval that the median lies in; runs are in the order of their commits. Dashed: steps, and lines of drift, with a triangle up for worse and down for better.",
    ),
    timeFirst.map((metric) => metricSection(benchmark.id, metric, trends.runs)),
    still.length > 0 &&
      section(
        "The same in all runs",
        table(
          "Metrics that are the same in all runs",
          ["metric", "figure"],
          still.map((each) => [foreign(each.metric), figure(each.unit, each.points[0]?.[1])]),
          new Set([1]),
        ),
      ),
  );
}

function viewOf(trends: Trends, state: {filter: string}): HTMLElement {
  const route = routeOf(location.hash);
  if (route.view !== "benchmark") return overview(trends, state);
  const address = benchmarkAddress(route.id);
  const benchmark = trends.trends.find(({id}) => benchmarkAddress(id) === address);
  if (benchmark) return benchmarkView(trends, benchmark);
  return noSuchBenchmark("This history", route.id);
}

export function startTrends(page: HTMLElement, trends: Trends): void {
  const {content, mark} = frame(page, trends.version, [["overview", "#/", "Trends"]]);
  const state = {filter: ""};
  let begun = false;
  const show = (): void => {
    const route = routeOf(location.hash);
    content.replaceChildren(viewOf(trends, state));
    mark(route.view === "benchmark" ? "" : "overview");
    const name = route.view === "benchmark" ? shortened(route.id, 80) : "Trends";
    document.title = seen(`${name} · ${trends.device} · Warpgauge`);
    if (begun) document.getElementById("main")?.focus({preventScroll: true});
    scrollTo(0, 0);
    begun = true;
  };
  addEventListener("hashchange", show);
  show();
}
