// SPDX-License-Identifier: Apache-2.0
// Every metric of a benchmark, before and after, with why it has its verdict. Those that did not
// change are folded.
import {absent, count, counted, figure, interval, ratio} from "./format";
import {folded, foreign, h, scrolling, section, type Child} from "./dom";
import {showLine} from "./places";
import {leadingMetric, ratioOf, type Benchmark, type Cause, type Metric} from "./verdict";
import {badge} from "./words";

function causeOf(cause: Cause): Child {
  const {before_a_request: from, after_a_request: to} = cause;
  const a = (value: number): string => String(Number(value.toPrecision(4)));
  const text =
    from != null && to != null
      ? `${a(from)} → ${a(to)} a request`
      : to != null
        ? `${a(to)} a request`
        : "";
  const lines = (cause.lines ?? []).map(({line, before, after}) =>
    h(
      "li",
      {},
      h(
        "button",
        {type: "button", class: "place", click: () => showLine(`${line.file}:${line.line}`)},
        foreign(`${line.file}:${line.line}`),
      ),
      ` ${count(before)} → ${count(after)} `,
      line.text ? h("code", {}, foreign(line.text)) : null,
    ),
  );
  return h(
    "div",
    {class: "cause"},
    text,
    lines.length > 0
      ? h("ul", {}, lines)
      : cause.no_lines_because
        ? [text ? "; " : "", "no source line: ", foreign(cause.no_lines_because)]
        : null,
  );
}

function row(metric: Metric): HTMLElement {
  const why = [
    metric.reason ? h("div", {}, foreign(metric.reason)) : null,
    interval(metric) ? h("div", {class: "interval"}, interval(metric)) : null,
    metric.cause ? causeOf(metric.cause) : null,
  ];
  return h(
    "tr",
    {},
    h(
      "td",
      {class: "verdict"},
      metric.class === "shown" ? h("span", {class: "badge"}, "shown") : badge(metric.verdict),
    ),
    h("th", {scope: "row"}, foreign(metric.metric)),
    h("td", {class: "figure"}, figure(metric.unit, metric.before)),
    h("td", {class: "figure"}, figure(metric.unit, metric.after)),
    h("td", {class: "figure"}, ratio(ratioOf(metric))),
    h("td", {class: "why"}, why),
  );
}

function table(metrics: Metric[]): HTMLElement {
  return h(
    "table",
    {class: "plain metrics"},
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        ["verdict", "metric", "before", "after", "change", "why"].map((text, i) =>
          h("th", {scope: "col", class: i >= 2 && i <= 4 ? "figure" : ""}, text),
        ),
      ),
    ),
    h("tbody", {}, metrics.map(row)),
  );
}

export function metricsSection(benchmark: Benchmark): HTMLElement {
  const metrics = benchmark.metrics ?? [];
  const reasons = Object.entries(benchmark.not_measured ?? {});
  const leading = leadingMetric(benchmark);
  const isFolded = (each: Metric): boolean =>
    each !== leading && (each.verdict === "same" || each.class === "shown");
  const open = metrics.filter((each) => !isFolded(each));
  const rest = metrics.filter(isFolded);
  const shown = rest.filter((each) => each.class === "shown").length;
  const counts = [
    rest.length > shown && counted(rest.length - shown, "unchanged metric"),
    shown > 0 && `${count(shown)} shown only`,
  ].filter((each) => each !== false);
  return section(
    "Metrics",
    metrics.length === 0
      ? h("p", {class: "absent"}, "There is no metric of this benchmark on either side.")
      : scrolling("Metrics before and after", table(open)),
    rest.length > 0 &&
      folded(counts.join(", "), () => [scrolling("Metrics that did not change", table(rest))]),
    reasons.length > 0 &&
      h(
        "dl",
        {class: "reasons"},
        reasons.map(([what, why]) => [
          h("dt", {}, "Not measured: ", foreign(what)),
          h("dd", {}, foreign(why) ?? absent),
        ]),
      ),
  );
}
