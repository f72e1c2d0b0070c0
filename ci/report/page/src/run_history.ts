// SPDX-License-Identifier: Apache-2.0
// A benchmark's times in the newest runs of a history, where the page has one.
import {h, section} from "./dom";
import {trendPlot} from "./trend_plot";
import type {Benchmark, RunHistory} from "./verdict";

export function runHistorySection(
  benchmark: Benchmark,
  history: RunHistory | undefined,
): HTMLElement | null {
  if (!history || !Object.hasOwn(history.time, benchmark.id)) return null;
  const points = history.time[benchmark.id] ?? [];
  if (points.length < 2) return null;
  const runs = history.runs.map(([revision, created], i) => ({
    number: i + 1,
    created,
    revision,
    modified: false,
    uuid: "",
    driver: "",
    cuda: "",
  }));
  return section(
    "History",
    h(
      "p",
      {class: "legend"},
      "A dot is the median of a run’s processes; runs are in the order of their commits. ",
      "Their figures: warpgauge history trend.",
    ),
    trendPlot(
      benchmark.id,
      {metric: "time", unit: "ns", class: "statistical", points, changes: []},
      runs,
    ),
  );
}
