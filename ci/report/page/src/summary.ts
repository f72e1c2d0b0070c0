// SPDX-License-Identifier: Apache-2.0
// How far times moved: of those that got worse, of those that got better, and of all that were timed.
import {count, ratio} from "./format";
import {h} from "./dom";
import {ratioOf, timeOf, type Verdict, type Word} from "./verdict";
import {symbol} from "./words";

interface Row {
  name: string;
  word: Word | undefined;
  ratios: number[];
}

export function ratiosOf(verdict: Verdict, word: Word | undefined): number[] {
  return verdict.benchmarks.flatMap((benchmark) => {
    const time = timeOf(benchmark);
    const value = ratioOf(time);
    const counts = word === undefined ? time?.class !== "shown" : time?.verdict === word;
    return counts && value !== undefined && value > 0 && value < Infinity ? [value] : [];
  });
}

export function geometricMean(ratios: number[]): number {
  return Math.exp(ratios.reduce((sum, each) => sum + Math.log(each), 0) / ratios.length);
}

function row({name, word, ratios}: Row): HTMLElement {
  return h(
    "tr",
    {},
    h("th", {scope: "row"}, word && [symbol(word), " "], name),
    h("td", {class: "figure"}, count(ratios.length)),
    h("td", {class: "figure"}, ratio(geometricMean(ratios))),
    h("td", {class: "figure"}, ratio(Math.min(...ratios))),
    h("td", {class: "figure"}, ratio(Math.max(...ratios))),
  );
}

// Nothing where no time moved.
export function summaryOf(verdict: Verdict): HTMLElement | null {
  const rows: Row[] = [
    {name: "regressed", word: "regressed", ratios: ratiosOf(verdict, "regressed")},
    {name: "improved", word: "improved", ratios: ratiosOf(verdict, "improved")},
  ];
  const moved = rows.filter(({ratios}) => ratios.length > 0);
  if (moved.length === 0) return null;
  moved.push({name: "all timed", word: undefined, ratios: ratiosOf(verdict, undefined)});
  return h(
    "table",
    {class: "summary"},
    h("caption", {}, "Change of times"),
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        h("th", {scope: "col"}, "verdict"),
        ["number", "mean", "least", "most"].map((text) =>
          h("th", {scope: "col", class: "figure"}, text),
        ),
      ),
    ),
    h("tbody", {}, moved.map(row)),
  );
}
