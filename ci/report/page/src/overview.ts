// SPDX-License-Identifier: Apache-2.0
// All benchmarks at a glance: the outcome, the number of each verdict, and a row per benchmark.
import {counted, count, figure, ratio, shareOfCeiling} from "./format";
import {editsOf} from "./edits";
import {foreign, h, identifier, metricName, seen, unseen, type Child} from "./dom";
import {benchmarkAddress} from "./routes";
import {seriesOf, sparkline} from "./sparkline";
import {summaryOf} from "./summary";
import {axisFor, axisHeader, strip, type Axis} from "./strip";
import {
  familyOf,
  leadingMetric,
  ratioOf,
  verdicts,
  worstLineOf,
  type Benchmark,
  type Metric,
  type Verdict,
  type Word,
} from "./verdict";
import {badge, className, symbol} from "./words";

const orders = {
  gravity: "most severe first",
  ratio: "greatest change first",
  name: "name",
  family: "family",
} as const;
type Order = keyof typeof orders;

// Kept while the page is open, so that the list is unchanged when the reader returns.
export interface ListState {
  text: string;
  shown: Set<Word>;
  order: Order;
}

// Unchanged benchmarks are folded; so are new ones if all are new because there is no baseline.
export function initialState(verdict: Verdict): ListState {
  const folded = new Set<Word>(verdict.no_baseline ? ["same", "new"] : ["same"]);
  return {text: "", shown: new Set(verdicts.filter((word) => !folded.has(word))), order: "gravity"};
}

function change(benchmark: Benchmark): number {
  const value = ratioOf(leadingMetric(benchmark));
  return value === undefined || value <= 0 ? -1 : Math.abs(Math.log(value));
}

// The given order has the most severe first; ties keep it.
export function ordered(benchmarks: Benchmark[], order: Order): Benchmark[] {
  const sorted = [...benchmarks];
  const byName = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
  if (order === "ratio") sorted.sort((a, b) => change(b) - change(a));
  if (order === "name") sorted.sort((a, b) => byName(a.id, b.id));
  if (order === "family") sorted.sort((a, b) => byName(familyOf(a.id), familyOf(b.id)));
  return sorted;
}

// As many whole parts as three lines hold, so that no figure is cut; the benchmark's view has all.
export function inBrief(text: string): string {
  const [most, longest] = [130, 300];
  const parts = text.split("; ");
  let brief = parts[0] ?? "";
  let taken = 1;
  while (taken < parts.length && brief.length + (parts[taken] ?? "").length < most)
    brief += `; ${parts[taken++]}`;
  const characters = [...brief];
  if (characters.length > longest) {
    const cut = characters.slice(0, longest).join("");
    const blank = cut.lastIndexOf(" ");
    return `${blank > 0 ? cut.slice(0, blank) : cut} …`;
  }
  return taken < parts.length ? `${brief}; …` : brief;
}

// Why the benchmark has its verdict, where one line can say it.
function why(benchmark: Benchmark, metric: Metric | undefined): Child {
  if (benchmark.message) return foreign(inBrief(benchmark.message));
  if (benchmark.verdict === "same") return null;
  const reason = metric?.reason ? foreign(inBrief(metric.reason)) : null;
  const place = whereOf(benchmark);
  if (place && reason) return [place, h("div", {}, reason)];
  return place ?? reason;
}

function whereOf(benchmark: Benchmark): Child {
  const worst = worstLineOf(benchmark);
  if (!worst) return null;
  const {metric, before, after, line} = worst;
  return [
    metric,
    before != null && after != null ? ` ${count(before)} → ${count(after)} a request at ` : " at ",
    foreign(`${line.file}:${line.line}`),
    " ",
    line.text ? h("code", {}, foreign(inBrief(line.text))) : null,
  ];
}

// The share of the device's memory bandwidth, for rows about time.
function reached(benchmark: Benchmark, metric: Metric | undefined): Child {
  const text = metric?.metric === "time" ? shareOfCeiling(benchmark.achieved) : undefined;
  return text && h("div", {class: "share"}, foreign(text));
}

function row(benchmark: Benchmark, axis: Axis, line: Child): HTMLElement {
  const metric = leadingMetric(benchmark);
  // If the whole benchmark failed or is new, so are all its metrics.
  const others = ["regressed", "improved", "inconclusive"].includes(benchmark.verdict)
    ? (benchmark.metrics ?? []).filter(
        (each) => each !== metric && each.verdict !== "same" && each.class !== "shown",
      ).length
    : 0;
  const explanation = why(benchmark, metric);
  return h(
    "tr",
    {role: "row"},
    h("td", {role: "cell", class: "verdict"}, badge(benchmark.verdict)),
    h(
      "th",
      {role: "rowheader", scope: "row", class: "name"},
      h("a", {href: benchmarkAddress(benchmark.id)}, identifier(benchmark.id)),
      explanation && h("div", {class: "why"}, explanation),
    ),
    h(
      "td",
      {role: "cell", class: "metric"},
      metric && metricName(metric.metric),
      others > 0 && h("span", {class: "more"}, ` +${others}`, unseen(" more metrics changed")),
      reached(benchmark, metric),
      line,
    ),
    h("td", {role: "cell", class: "figure before"}, metric && figure(metric.unit, metric.before)),
    h("td", {role: "cell", class: "figure after"}, metric && figure(metric.unit, metric.after)),
    h("td", {role: "cell", class: "figure change"}, metric && ratio(ratioOf(metric))),
    h("td", {role: "cell", class: "ratio"}, strip(axis, metric)),
  );
}

function header(axis: Axis): HTMLElement {
  const column = (name: string, ...children: Child[]): HTMLElement =>
    h("th", {role: "columnheader", scope: "col", class: name}, ...children);
  return h(
    "thead",
    {role: "rowgroup"},
    h(
      "tr",
      {role: "row"},
      column("verdict", "verdict"),
      column("name", "benchmark"),
      column("metric", "metric"),
      column("figure before", "before"),
      column("figure after", "after"),
      column("figure change", "change"),
      column("ratio", unseen("after ÷ before"), axisHeader(axis)),
    ),
  );
}

function list(verdict: Verdict, state: ListState): HTMLElement {
  const axis = axisFor(verdict.benchmarks);
  const body = h("tbody", {role: "rowgroup"});
  const status = h("p", {class: "status", role: "status"});
  const folded = h("div", {class: "folded"});
  const chips = h("div", {class: "chips", role: "group", "aria-label": "Verdicts shown"});

  // Rows are made once, when first shown.
  const rows = new Map<Benchmark, HTMLElement>();
  const rowOf = (benchmark: Benchmark): HTMLElement => {
    let made = rows.get(benchmark);
    if (!made) {
      const series = seriesOf(benchmark, verdict.history);
      made = row(benchmark, axis, series && sparkline(series));
      rows.set(benchmark, made);
    }
    return made;
  };

  const present = verdicts.filter((word) =>
    verdict.benchmarks.some((each) => each.verdict === word),
  );
  const update = (): void => {
    const text = state.text.toLowerCase();
    const matching = verdict.benchmarks.filter((each) => each.id.toLowerCase().includes(text));
    const visible = matching.filter((each) => state.shown.has(each.verdict));
    body.replaceChildren(...ordered(visible, state.order).map(rowOf));
    status.textContent = `${count(visible.length)} of ${counted(verdict.benchmarks.length, "benchmark")} shown`;
    for (const chip of chips.children) {
      chip.setAttribute(
        "aria-pressed",
        String(state.shown.has(chip.getAttribute("data-verdict") as Word)),
      );
    }
    folded.replaceChildren(
      ...present
        .filter((word) => !state.shown.has(word))
        .flatMap((word) => {
          const number = matching.filter((each) => each.verdict === word).length;
          if (number === 0) return [];
          return h(
            "button",
            {type: "button", click: () => toggle(word)},
            symbol(word),
            `${word}: ${counted(number, "benchmark")}`,
            h("span", {class: "do"}, "show"),
          );
        }),
    );
  };
  const toggle = (word: Word): void => {
    if (!state.shown.delete(word)) state.shown.add(word);
    update();
  };
  chips.append(
    ...present.map((word) =>
      h(
        "button",
        {
          type: "button",
          class: `chip ${className(word)}`,
          "data-verdict": word,
          click: () => toggle(word),
        },
        symbol(word),
        word,
        h(
          "span",
          {class: "number"},
          count(verdict.benchmarks.filter((each) => each.verdict === word).length),
        ),
      ),
    ),
  );

  const filter = h("input", {
    type: "search",
    id: "filter",
    placeholder: "transpose/",
    autocomplete: "off",
    spellcheck: "false",
    input: (event) => {
      state.text = (event.target as HTMLInputElement).value;
      update();
    },
  });
  filter.value = state.text;
  const sort = h(
    "select",
    {
      id: "sort",
      change: (event) => {
        state.order = (event.target as HTMLSelectElement).value as Order;
        update();
      },
    },
    Object.entries(orders).map(([value, text]) =>
      h("option", {value, selected: value === state.order}, text),
    ),
  );
  update();
  return h(
    "section",
    {"aria-labelledby": "benchmarks", class: "list"},
    h("h2", {id: "benchmarks"}, "Benchmarks"),
    h(
      "div",
      {class: "controls"},
      chips,
      h("label", {for: "filter"}, "Filter ", filter),
      h("label", {for: "sort"}, "Sort by ", sort),
      status,
    ),
    h(
      "table",
      {role: "table", class: "benchmarks", "aria-labelledby": "benchmarks"},
      header(axis),
      body,
    ),
    folded,
    h(
      "p",
      {class: "legend"},
      "The strip shows the named metric’s change on a logarithmic axis, its interval as a line and the policy’s floor as a band. " +
        `It ends at ${axis.ticks[0]?.[1]} and ${axis.ticks[axis.ticks.length - 1]?.[1]}; » is beyond.`,
      verdict.benchmarks.some((each) => seriesOf(each, verdict.history))
        ? verdict.history
          ? ` Below the metric: the benchmark’s times in the newest ${counted(verdict.history.runs.length, "run")} of the history, and now.`
          : " Below the metric: the benchmark’s times in the baseline’s sessions, and now."
        : null,
      verdict.benchmarks.some((each) => each.achieved?.share_of_ceiling != null)
        ? " Below a time: what it reaches of the bandwidth that this device showed when it only read, wrote or copied."
        : null,
    ),
  );
}

// A button that copies the command, or selects it where copying is not allowed.
function command(text: string): Child[] {
  const code = h("code", {class: "command"}, foreign(text));
  const button = h(
    "button",
    {
      type: "button",
      class: "copy",
      "aria-label": "copy the command",
      click: () => {
        const said = (word: string): void => void (button.textContent = word);
        const select = (): void => {
          getSelection()?.selectAllChildren(code);
          said("selected");
        };
        if (!navigator.clipboard) return select();
        navigator.clipboard.writeText(seen(text)).then(() => said("copied"), select);
      },
    },
    "copy",
  );
  return [code, " ", button];
}

// The conclusion starts with the outcome, which is the headline here, and may contain the command.
function conclusion(verdict: Verdict): Child[] {
  let text = verdict.conclusion ?? "";
  const opening = `${verdict.outcome ?? ""}: `;
  if (text.startsWith(opening)) text = text.slice(opening.length);
  const approve = verdict.approve_command;
  if (!approve) return [foreign(text)];
  const begin = text.indexOf(approve);
  if (begin < 0) return [foreign(text), " To approve: ", ...command(approve)];
  return [
    foreign(text.slice(0, begin)),
    ...command(approve),
    foreign(text.slice(begin + approve.length)),
  ];
}

export function overview(verdict: Verdict, state: ListState): HTMLElement {
  const outcome = verdict.outcome || "verdict";
  const notes = verdict.notes ?? [];
  const allowed = verdict.allowed ?? [];
  return h(
    "main",
    {id: "main", tabindex: -1},
    h(
      "div",
      {class: "head"},
      h(
        "header",
        {class: "outcome"},
        h("h1", {}, foreign(outcome)),
        h(
          "p",
          {class: "compared"},
          verdict.device ? [foreign(verdict.device), ": "] : null,
          foreign(verdict.before?.name ?? ""),
          " → ",
          foreign(verdict.after?.name ?? ""),
        ),
        h("p", {class: "conclusion"}, conclusion(verdict)),
        notes.length > 0 &&
          h(
            "p",
            {},
            h(
              "button",
              {
                type: "button",
                class: "place to-notes",
                click: () => {
                  const there = document.getElementById("notes");
                  there?.scrollIntoView({block: "center"});
                  there?.focus({preventScroll: true});
                },
              },
              counted(notes.length, "note"),
            ),
            " below",
          ),
        verdict.no_baseline && h("p", {}, "No baseline: ", foreign(verdict.no_baseline)),
        allowed.length > 0 && h("p", {}, "Let pass: ", allowed.join(", ")),
      ),
      summaryOf(verdict),
    ),
    editsOf(verdict.edits),
    list(verdict, state),
    notes.length > 0
      ? h(
          "div",
          {class: "notes", id: "notes", tabindex: -1},
          h("h2", {}, "Notes"),
          h(
            "ul",
            {},
            notes.map((note) => h("li", {}, foreign(note))),
          ),
        )
      : null,
  );
}
