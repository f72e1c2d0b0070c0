// SPDX-License-Identifier: Apache-2.0
// The view of one benchmark, with all its figures.
import {count, figure, interval, rate, ratio, shareOfCeiling} from "./format";
import {foreign, h, identifier, type Child} from "./dom";
import {kernelsSection} from "./kernels";
import {metricsSection} from "./metrics_table";
import {forgetPlaces, hasLine, showLine} from "./places";
import {benchmarkAddress} from "./routes";
import {runHistorySection} from "./run_history";
import {samplesSection} from "./samples";
import {sessionsSection} from "./sessions";
import {sourceSection} from "./source_heat";
import {
  isOfCpu,
  leadingMetric,
  ratioOf,
  worstLineOf,
  type Benchmark,
  type Verdict,
} from "./verdict";
import {badge} from "./words";

function leading(benchmark: Benchmark): Child {
  const metric = leadingMetric(benchmark);
  if (!metric) return null;
  const known = interval(metric);
  return h(
    "p",
    {class: "leading"},
    h("span", {class: "what"}, foreign(metric.metric)),
    " ",
    figure(metric.unit, metric.before),
    " → ",
    h("strong", {}, figure(metric.unit, metric.after)),
    " ",
    h("strong", {}, ratio(ratioOf(metric))),
    known && h("span", {class: "interval"}, ` ${known}`),
  );
}

// Leads to the line whose traffic grew most, however long the source is.
function worstLine(benchmark: Benchmark): Child {
  const worst = worstLineOf(benchmark);
  const place = worst && `${worst.line.file}:${worst.line.line}`;
  if (!place || !hasLine(place)) return null;
  const {metric, before, after} = worst;
  return h(
    "p",
    {class: "worst-line"},
    foreign(metric),
    before != null && after != null ? ` ${count(before)} → ${count(after)} a request at ` : " at ",
    h("button", {type: "button", class: "place", click: () => showLine(place)}, foreign(place)),
  );
}

function work(benchmark: Benchmark): Child {
  const {work, achieved} = benchmark;
  if (!work || work.bytes_read + work.bytes_written + work.operations === 0) return null;
  const ceiling =
    achieved?.share_of_ceiling && achieved.bytes_per_second / achieved.share_of_ceiling;
  return h(
    "p",
    {class: "work"},
    `The problem needs ${count(work.bytes_read)} B read, ${count(work.bytes_written)} B written and ${work.operations ? count(work.operations) : "no"} operations. `,
    achieved && [
      "After: ",
      rate(achieved.bytes_per_second),
      ", ",
      foreign(shareOfCeiling(achieved) ?? `without a ceiling: ${achieved.no_share_because ?? ""}`),
      ceiling && ` (this device’s ceiling: ${rate(ceiling)})`,
      ".",
    ],
  );
}

function neighbours(verdict: Verdict, benchmark: Benchmark): HTMLElement {
  const i = verdict.benchmarks.indexOf(benchmark);
  const link = (other: Benchmark | undefined, text: string): Child =>
    other && h("a", {href: benchmarkAddress(other.id)}, text);
  return h(
    "nav",
    {class: "neighbours", "aria-label": "Benchmarks"},
    h("a", {href: "#/"}, "All benchmarks"),
    link(verdict.benchmarks[i - 1], "← more severe"),
    link(verdict.benchmarks[i + 1], "less severe →"),
    h("span", {class: "position"}, `${count(i + 1)} of ${count(verdict.benchmarks.length)}`),
  );
}

export function benchmarkView(verdict: Verdict, benchmark: Benchmark): HTMLElement {
  const remarks = benchmark.remarks ?? [];
  const sources = verdict.sources ?? {};
  forgetPlaces();
  // Where it costs comes first, then what shows that it does.
  const source = sourceSection(benchmark, sources);
  const hasTraffic = source.querySelector("table") !== null;
  return h(
    "main",
    {id: "main", tabindex: -1},
    neighbours(verdict, benchmark),
    h(
      "header",
      {class: "benchmark"},
      h("div", {}, badge(benchmark.verdict)),
      h("h1", {class: "id"}, identifier(benchmark.id)),
      benchmark.message && h("p", {class: "message"}, foreign(benchmark.message)),
      leading(benchmark),
      worstLine(benchmark),
      work(benchmark),
    ),
    remarks.length > 0 &&
      h(
        "div",
        {class: "notes"},
        h("h2", {}, "Remarks"),
        h(
          "ul",
          {},
          remarks.map((each) => h("li", {}, foreign(each))),
        ),
      ),
    hasTraffic && source,
    h("div", {class: "decides"}, samplesSection(benchmark, isOfCpu(verdict) ? "repetition" : "launch"), sessionsSection(benchmark)),
    !hasTraffic && source,
    runHistorySection(benchmark, verdict.history),
    metricsSection(benchmark),
    kernelsSection(benchmark, sources),
  );
}
