// SPDX-License-Identifier: Apache-2.0
// Reads the page's data, a verdict or a history's trends, and shows the view that the address names.
import "./style.css";
import {benchmarkView} from "./benchmark";
import {h, seen} from "./dom";
import {environmentView} from "./environment";
import {shortened} from "./format";
import {frame, noSuchBenchmark} from "./frame";
import {initialState, overview, type ListState} from "./overview";
import {rooflineView} from "./roofline";
import {benchmarkAddress, routeOf, type Route} from "./routes";
import {trendsFrom} from "./trends";
import {startTrends} from "./trends_view";
import {variantsView} from "./variants";
import {isOfCpu, verdictFrom, type Verdict} from "./verdict";

const views: [Route["view"], string, string][] = [
  ["overview", "#/", "Overview"],
  ["variants", "#/variants", "Variants"],
  ["roofline", "#/roofline", "Roofline"],
  ["environment", "#/environment", "Environment"],
];

function viewOf(verdict: Verdict, state: ListState, route: Route): HTMLElement {
  if (route.view === "variants") return variantsView(verdict);
  if (route.view === "roofline") return rooflineView(verdict);
  if (route.view === "environment") return environmentView(verdict);
  if (route.view === "overview") return overview(verdict, state);
  const address = benchmarkAddress(route.id);
  const benchmark = verdict.benchmarks.find((each) => benchmarkAddress(each.id) === address);
  if (benchmark) return benchmarkView(verdict, benchmark);
  return noSuchBenchmark("This verdict", route.id);
}

function carried(): unknown {
  try {
    return JSON.parse(document.getElementById("verdict")?.textContent ?? "");
  } catch {
    throw new Error(
      "This page is empty. Create it with: warpgauge report --format html, or warpgauge history report",
    );
  }
}

function start(page: HTMLElement): void {
  let verdict: Verdict;
  try {
    const value = carried();
    const trends = trendsFrom(value);
    if (trends) {
      startTrends(page, trends);
      return;
    }
    verdict = verdictFrom(value);
  } catch (error) {
    page.replaceChildren(
      h("main", {}, h("h1", {}, "Warpgauge"), h("p", {}, (error as Error).message)),
    );
    return;
  }
  const state = initialState(verdict);
  const shown = views.filter(([view]) => view !== "roofline" || !isOfCpu(verdict));
  const {content, mark} = frame(page, verdict.version, shown);

  // The list's scroll position when the reader left it.
  let scrolled = 0;
  let current: Route["view"] | undefined;
  const show = (): void => {
    const route = routeOf(location.hash);
    if (current === "overview") scrolled = lastScroll;
    content.replaceChildren(viewOf(verdict, state, route));
    mark(route.view);
    const name =
      route.view === "benchmark"
        ? shortened(route.id, 80)
        : views.find(([view]) => view === route.view)?.[2];
    document.title = seen(`${name ?? ""} · ${verdict.outcome ?? ""} · Warpgauge`);
    if (current !== undefined) document.getElementById("main")?.focus({preventScroll: true});
    scrollTo(0, route.view === "overview" ? scrolled : 0);
    current = route.view;
    lastScroll = scrollY;
  };
  // The browser has already scrolled when it reports the new address.
  let lastScroll = 0;
  addEventListener(
    "scroll",
    () => {
      if (current === "overview" && routeOf(location.hash).view === "overview")
        lastScroll = scrollY;
    },
    {passive: true},
  );
  addEventListener("hashchange", show);
  show();
}

const page = document.getElementById("page");
if (page) start(page);
