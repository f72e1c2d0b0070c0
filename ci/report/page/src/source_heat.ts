// SPDX-License-Identifier: Apache-2.0
// The kernel's source with each line's traffic: how much, and how far above the least that its
// accesses need.
import {count} from "./format";
import {foreign, h, scrolling, section, unseen, type Child} from "./dom";
import {fileOf, flash, onLine, showInstructions} from "./places";
import {placesOfChanges} from "./sass";
import type {Benchmark, SourceLine} from "./verdict";

interface Access {
  before?: SourceLine;
  after?: SourceLine;
}

const kinds: Record<string, string> = {
  shared_load: "shared load",
  shared_store: "shared store",
  shared_atomic: "shared atomic",
  global_load: "global load",
  global_store: "global store",
  global_atomic: "global atomic",
};

const cost = (line: SourceLine | undefined): number | undefined =>
  line?.wavefronts ?? line?.sectors;
const ideal = (line: SourceLine | undefined): number | undefined =>
  line?.ideal_wavefronts ?? line?.ideal_sectors;

// Matches both sides' accesses by place or, where code moved, by text.
export function accessesOf(before: SourceLine[], after: SourceLine[]): Access[] {
  const open = [...before];
  const take = (is: (line: SourceLine) => boolean): SourceLine | undefined => {
    const found = open.findIndex(is);
    return found < 0 ? undefined : open.splice(found, 1)[0];
  };
  const alike = (a: SourceLine, b: SourceLine): boolean =>
    a.file === b.file && a.access === b.access && a.width_bytes === b.width_bytes;
  const joined: Access[] = after.map((line) => ({
    after: line,
    before: take(
      (each) =>
        alike(each, line) &&
        each.line === line.line &&
        each.column === line.column &&
        each.function === line.function,
    ),
  }));
  for (const access of joined) {
    const {after: line} = access;
    if (access.before || !line?.text) continue;
    access.before = take((each) => alike(each, line) && each.text === line.text);
  }
  return [...joined, ...open.map((line) => ({before: line}))];
}

// How many lines to show around those with traffic; the rest is folded.
const context = 3;

function heatOf(access: Access): number {
  const [is, least] = [cost(access.after), ideal(access.after)];
  if (is === undefined || !least || is <= least) return 0;
  return Math.min(1, Math.log2(is / least) / 5); // 32 lanes one after the other is the worst
}

function cells(access: Access | undefined, most: number): HTMLElement[] {
  if (!access) return [h("td", {role: "cell", class: "access", colspan: 5})];
  const line = (access.after ?? access.before) as SourceLine;
  const [was, is, least] = [cost(access.before), cost(access.after), ideal(access.after)];
  const text = (value: number | undefined): string => (value === undefined ? "–" : count(value));
  const excess = is !== undefined && least ? is / least : undefined;
  const changed = was !== undefined && is !== undefined && was !== is;
  return [
    h(
      "td",
      {role: "cell", class: "access"},
      kinds[line.access] ?? line.access,
      h("span", {class: "width"}, ` ${line.width_bytes} B`),
    ),
    h("td", {role: "cell", class: "figure", "data-label": "before"}, text(was)),
    h(
      "td",
      {role: "cell", class: `figure${changed ? " changed" : ""}`, "data-label": "after"},
      text(is),
    ),
    h("td", {role: "cell", class: "figure", "data-label": "ideal"}, text(least)),
    h(
      "td",
      {role: "cell", class: "excess", style: `--heat:${heatOf(access).toFixed(3)}`},
      h(
        "span",
        {class: "track"},
        h("span", {class: "bar", style: `width:${((100 * (is ?? 0)) / most).toFixed(1)}%`}),
      ),
      h(
        "span",
        {class: "times"},
        excess === undefined
          ? "–"
          : excess === 1
            ? "ideal"
            : `×${excess < 9.95 ? excess.toFixed(2) : excess.toFixed(1)}`,
      ),
    ),
  ];
}

const columns = ["access", "before", "after", "ideal", "after ÷ ideal"];

function instructionsButton(place: string): HTMLElement {
  return h(
    "button",
    {type: "button", class: "place", click: () => showInstructions(place)},
    "SASS",
    unseen(" of this line, which changed"),
  );
}

// `changedCode`: whether an instruction of the line changed.
function table(
  file: string,
  accesses: Access[],
  source: string | undefined,
  changedCode: (line: number) => boolean,
): HTMLElement {
  const byLine = new Map<number, Access[]>();
  for (const access of accesses) {
    const {line} = (access.after ?? access.before) as SourceLine;
    byLine.set(line, [...(byLine.get(line) ?? []), access]);
  }
  const most = Math.max(1, ...accesses.map((access) => cost(access.after) ?? 0));
  const body = h("tbody", {role: "rowgroup"});
  const text = source?.split("\n") ?? [];
  if (text[text.length - 1] === "") text.pop();
  const hit = [...byLine.keys()].sort((a, b) => a - b);
  const last = Math.max(text.length, hit[hit.length - 1] ?? 0);
  const near = (line: number): boolean => hit.some((each) => Math.abs(each - line) <= context);

  const rows = (line: number): HTMLElement[] => {
    const here = byLine.get(line) ?? [undefined];
    const code = text[line - 1] ?? here[0]?.after?.text ?? here[0]?.before?.text ?? "";
    const hottest = Math.max(...here.map((access) => (access ? heatOf(access) : 0)));
    return here.map((access, i) =>
      h(
        "tr",
        {
          role: "row",
          class: access ? "hit" : "",
          style: access ? `--heat:${heatOf(access).toFixed(3)}` : null,
        },
        i === 0
          ? h("th", {role: "rowheader", scope: "row", class: "number", rowspan: here.length}, line)
          : null,
        i === 0
          ? h(
              "td",
              {
                role: "cell",
                class: "code",
                rowspan: here.length,
                style: access ? `--heat:${hottest.toFixed(3)}` : null,
              },
              h("code", {}, foreign(code)),
              changedCode(line) && instructionsButton(`${file}:${line}`),
            )
          : null,
        cells(access, most),
      ),
    );
  };
  let folded: number[] = [];
  const fold = (): void => {
    if (folded.length === 0) return;
    const hidden = folded;
    folded = [];
    const place = h("tr", {role: "row", class: "gap"});
    place.append(
      h(
        "td",
        {role: "cell", colspan: 7},
        h(
          "button",
          {
            type: "button",
            click: () => place.replaceWith(...hidden.flatMap(rows)),
          },
          `⋯ ${hidden.length} ${hidden.length === 1 ? "line" : "lines"}`,
        ),
      ),
    );
    body.append(place);
  };
  const numbers = source === undefined ? hit : Array.from({length: last}, (_, i) => i + 1);
  for (const line of numbers) {
    if (source !== undefined && !near(line)) {
      folded.push(line);
      continue;
    }
    fold();
    const made = rows(line);
    body.append(...made);
    if (byLine.has(line)) {
      onLine(`${file}:${line}`, () => flash(made));
    }
  }
  fold();
  return h(
    "table",
    {role: "table", class: "source"},
    h(
      "thead",
      {role: "rowgroup"},
      h(
        "tr",
        {role: "row"},
        h("th", {role: "columnheader", scope: "col", class: "number"}, "line"),
        h("th", {role: "columnheader", scope: "col"}, "source"),
        columns.map((name, i) =>
          h("th", {role: "columnheader", scope: "col", class: i > 0 && i < 4 ? "figure" : ""}, name),
        ),
      ),
    ),
    body,
  );
}

export function sourceSection(benchmark: Benchmark, sources: Record<string, string>): HTMLElement {
  const accesses = accessesByFile(benchmark);
  if (accesses.size === 0) {
    const reason = benchmark.not_measured?.["source_lines"] ?? benchmark.not_measured?.["counters"];
    return section(
      "Source",
      h(
        "p",
        {class: "absent"},
        "No traffic by source line: ",
        reason ? foreign(reason) : "the results hold none of this benchmark",
      ),
    );
  }
  const places = new Set<string>();
  for (const place of placesOfChanges(benchmark.kernels ?? [])) {
    const colon = place.lastIndexOf(":");
    const file = fileOf(place.slice(0, colon), sources) ?? place.slice(0, colon);
    places.add(`${file}${place.slice(colon)}`);
  }
  const parts: Child[] = [];
  for (const [file, each] of accesses) {
    const source = Object.hasOwn(sources, file) ? sources[file] : undefined;
    const differs = source !== undefined && sourceDiffers(each, source);
    parts.push(
      h("h3", {}, foreign(file)),
      source === undefined &&
        h(
          "p",
          {class: "absent"},
          "The file was not at hand: only its lines with traffic are here.",
        ),
      differs &&
        h(
          "p",
          {class: "warning"},
          "The file at hand is not the one that was measured: a line’s text differs.",
        ),
      scrolling(
        "Source with traffic",
        table(file, each, source, (line) => places.has(`${file}:${line}`)),
      ),
    );
  }
  return section(
    "Source",
    h(
      "p",
      {class: "legend"},
      "Wavefronts of accesses to shared memory, sectors of those to global memory. " +
        "Shading says how far after is above ideal, up to ×32; the bar, how much of the busiest access’s traffic it is.",
    ),
    parts,
  );
}

function accessesByFile(benchmark: Benchmark): Map<string, Access[]> {
  const byFile = new Map<string, Access[]>();
  for (const access of accessesOf(benchmark.lines_before ?? [], benchmark.lines_after ?? [])) {
    const {file} = (access.after ?? access.before) as SourceLine;
    byFile.set(file, [...(byFile.get(file) ?? []), access]);
  }
  return byFile;
}

function sourceDiffers(accesses: Access[], source: string): boolean {
  const text = source.split("\n");
  return accesses.some(
    ({after}) => after?.text && text[after.line - 1]?.trim() !== after.text.trim(),
  );
}
