// SPDX-License-Identifier: Apache-2.0
// A kernel's instructions before and after, side by side, below the source line that they come from.
import {count} from "./format";
import {foreign, h, scrolling, unseen, type Child} from "./dom";
import {fileOf, flash, hasLine, onInstructions, showLine} from "./places";
import type {Kernel, SassRow} from "./verdict";

const signs: Record<string, [string, string]> = {
  operands: ["|", "other operands"],
  removed: ["<", "removed"],
  added: [">", "added"],
};

// Few enough to stand open.
const mostOpen = 40;

function numberOf(rows: SassRow[], change: string): number {
  return rows.filter((row) => row.change === change).length;
}

// "3 added, 1 removed, 12 with other operands".
function summaryOf(rows: SassRow[]): string {
  const parts: [string, string][] = [
    ["added", "added"],
    ["removed", "removed"],
    ["operands", "with other operands"],
  ];
  return parts
    .map(([change, text]) => [numberOf(rows, change), text] as const)
    .filter(([number]) => number > 0)
    .map(([number, text]) => `${count(number)} ${text}`)
    .join(", ");
}

// What two instructions of one operation differ in is marked.
function marked(text: string, other: string): Child {
  const parts = (all: string): string[] => all.split(/([\s,[\]]+)/);
  const [these, those] = [parts(text), parts(other)];
  if (these.length !== those.length) return text;
  return these.map((part, i) => (part === those[i] ? part : h("mark", {}, part)));
}

function instructionRow(row: SassRow): HTMLElement {
  const sign = signs[row.change];
  const both = row.change === "operands";
  return h(
    "tr",
    {class: `sass-${sign ? row.change : "same"}`},
    h("td", {}, h("code", {}, both ? marked(row.before, row.after) : row.before)),
    h("td", {class: "sign"}, sign && [h("span", {"aria-hidden": "true"}, sign[0]), unseen(sign[1])]),
    h("td", {}, h("code", {}, both ? marked(row.after, row.before) : row.after)),
  );
}

interface Group {
  place: string;
  rows: SassRow[];
}

// Instructions in a row that come from one line.
export function groupsOf(rows: SassRow[]): Group[] {
  const groups: Group[] = [];
  for (const row of rows) {
    const last = groups[groups.length - 1];
    if (last && last.place === row.place && row.skipped === 0) last.rows.push(row);
    else groups.push({place: row.place, rows: [row]});
  }
  return groups;
}

function sourceText(place: string, sources: Record<string, string>): string {
  const colon = place.lastIndexOf(":");
  const file = fileOf(place.slice(0, colon), sources);
  return file === undefined
    ? ""
    : (sources[file]?.split("\n")[Number(place.slice(colon + 1)) - 1] ?? "").trim();
}

function heading({place, rows}: Group, sources: Record<string, string>): HTMLElement {
  const said = summaryOf(rows);
  const name = place ? place.slice(place.lastIndexOf("/") + 1) : "of no source line";
  return h(
    "tr",
    {class: "line"},
    h(
      "th",
      {colspan: 3, scope: "colgroup"},
      place && hasLine(place)
        ? h(
            "button",
            {type: "button", class: "place", title: place, click: () => showLine(place)},
            foreign(name),
          )
        : foreign(name, {class: "place", title: place}),
      " ",
      h("code", {}, foreign(sourceText(place, sources))),
      said && h("span", {class: "said"}, ` ${said}`),
    ),
  );
}

export function sideBySide(kernel: Kernel, sources: Record<string, string>): Child {
  const rows = kernel.sass ?? [];
  if (rows.length === 0) return null;
  const body = h("tbody");
  const details = h("details", {class: "side-by-side", open: rows.length <= mostOpen});
  groupsOf(rows).forEach((group, i) => {
    const skipped = group.rows[0]?.skipped ?? 0;
    if (skipped > 0) {
      body.append(
        h("tr", {class: "skipped"}, h("td", {colspan: 3}, `${count(skipped)} the same`)),
      );
    }
    const head = heading(group, sources);
    const made = group.rows.map(instructionRow);
    if (i === 0 || group.place) body.append(head);
    body.append(...made);
    if (group.place && group.rows.some((row) => row.change in signs)) {
      onInstructions(group.place, () => {
        details.open = true;
        flash([head, ...made]);
      });
    }
  });
  details.append(
    h(
      "summary",
      {},
      "Instructions of ",
      h("code", {}, foreign(kernel.name)),
      ` for ${kernel.after?.architecture ?? "?"}: ${summaryOf(rows) || "none changed"}`,
    ),
    scrolling(
      "Instructions before and after",
      h(
        "table",
        {class: "instructions"},
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            h("th", {scope: "col"}, "before"),
            h("th", {scope: "col", class: "sign"}, unseen("change")),
            h("th", {scope: "col"}, "after"),
          ),
        ),
        body,
      ),
    ),
  );
  if (kernel.more_sass) {
    details.append(h("p", {}, `${count(kernel.more_sass)} more that may have changed`));
  }
  return details;
}

// The lines of which an instruction changed.
export function placesOfChanges(kernels: Kernel[]): Set<string> {
  return new Set(
    kernels.flatMap((kernel) =>
      (kernel.sass ?? []).filter((row) => row.change in signs).map((row) => row.place),
    ),
  );
}
