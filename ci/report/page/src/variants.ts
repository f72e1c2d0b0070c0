// SPDX-License-Identifier: Apache-2.0
// The variants of each family and size in the new run: how much faster each is than the one that
// they are compared with.
import {count, counted, time} from "./format";
import {h, identifier, scrolling, unseen, type Child} from "./dom";
import {benchmarkAddress} from "./routes";
import {nanosecondsOf, partsOf, type Benchmark, type Verdict} from "./verdict";
import {symbol} from "./words";

interface Timed {
  benchmark: Benchmark;
  variant: string;
  nanoseconds: number;
}

interface Group {
  family: string;
  size: string;
  all: Timed[]; // the fastest first
  reference: Timed;
}

// The first of `references` that is there, else the slowest.
function referenceOf(all: Timed[], references: string[]): Timed | undefined {
  for (const name of references) {
    const found = all.find(({variant}) => variant === name);
    if (found) return found;
  }
  return all[all.length - 1];
}

export function groupsOf(benchmarks: Benchmark[], references: string[]): Group[] {
  const groups = new Map<string, Timed[]>();
  for (const benchmark of benchmarks) {
    const nanoseconds = nanosecondsOf(benchmark);
    const {family, variant, size} = partsOf(benchmark.id);
    if (!nanoseconds || !variant) continue;
    const key = JSON.stringify([family, size]);
    groups.set(key, [...(groups.get(key) ?? []), {benchmark, variant, nanoseconds}]);
  }
  return [...groups].flatMap(([key, all]) => {
    const sorted = all.sort((a, b) => a.nanoseconds - b.nanoseconds);
    const reference = referenceOf(sorted, references);
    const [family = "", size = ""] = JSON.parse(key) as string[];
    return reference && sorted.length > 1 ? [{family, size, all: sorted, reference}] : [];
  });
}

function row({benchmark, variant, nanoseconds}: Timed, group: Group, most: number): HTMLElement {
  const speedUp = group.reference.nanoseconds / nanoseconds;
  const isReference = benchmark === group.reference.benchmark;
  return h(
    "tr",
    {},
    h(
      "th",
      {scope: "row"},
      h("a", {href: benchmarkAddress(benchmark.id)}, identifier(variant)),
      benchmark.verdict !== "same" && [" ", symbol(benchmark.verdict), ` ${benchmark.verdict}`],
    ),
    h("td", {class: "figure"}, time(nanoseconds)),
    h(
      "td",
      {class: "figure speed-up"},
      isReference ? "reference" : `×${speedUp.toFixed(speedUp < 9.995 ? 2 : 1)}`,
    ),
    h(
      "td",
      {class: "bars", "aria-hidden": "true"},
      h("span", {
        class: `bar${isReference ? " reference" : ""}`,
        style: `width:${((100 * speedUp) / most).toFixed(1)}%`,
      }),
    ),
  );
}

function table(group: Group): HTMLElement {
  const most = group.reference.nanoseconds / (group.all[0]?.nanoseconds ?? 1);
  return scrolling(
    `Variants of ${group.family}, ${group.size}`,
    h(
      "table",
      {class: "plain variants"},
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          h("th", {scope: "col"}, "variant"),
          h("th", {scope: "col", class: "figure"}, "time"),
          h("th", {scope: "col", class: "figure"}, "speed-up"),
          h("th", {scope: "col"}, unseen("speed-up as a bar")),
        ),
      ),
      h(
        "tbody",
        {},
        group.all.map((each) => row(each, group, most)),
      ),
    ),
  );
}

export function variantsView(verdict: Verdict): HTMLElement {
  const asked = verdict.references ?? [];
  const names = [
    ...new Set(verdict.benchmarks.map(({id}) => partsOf(id).variant).filter(Boolean)),
  ].sort();
  const lists = h("div", {class: "variant-groups"});
  const status = h("p", {class: "status", role: "status"});
  const show = (references: string[]): void => {
    const groups = groupsOf(verdict.benchmarks, references);
    status.textContent = `${counted(groups.length, "group")} of family and size with several timed variants`;
    lists.replaceChildren(
      ...groups.map((group) =>
        h("section", {}, h("h2", {}, identifier(`${group.family}/${group.size}`)), table(group)),
      ),
    );
    if (groups.length === 0) {
      lists.append(
        h("p", {class: "absent"}, "No two variants of a family were timed at the same size."),
      );
    }
  };
  const options: Child[] = [
    h("option", {value: ""}, asked.length > 0 ? asked.join(", ") : "the slowest"),
    names
      .filter((name) => asked.length !== 1 || name !== asked[0])
      .map((name) => h("option", {value: name}, name)),
  ];
  const choice = h(
    "select",
    {
      id: "reference",
      change: (event) => {
        const name = (event.target as HTMLSelectElement).value;
        show(name ? [name, ...asked] : asked);
      },
    },
    options,
  );
  show(asked);
  return h(
    "main",
    {id: "main", tabindex: -1},
    h("h1", {}, "Variants"),
    h(
      "p",
      {class: "legend"},
      `Times of the new run, of ${count(verdict.benchmarks.length)} benchmarks, by family and size. The speed-up is the reference’s time ÷ the variant’s; a family without the reference is compared with its slowest variant.`,
    ),
    h("div", {class: "controls"}, h("label", {for: "reference"}, "Reference ", choice), status),
    lists,
  );
}
