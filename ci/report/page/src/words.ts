// SPDX-License-Identifier: Apache-2.0
// A verdict's appearance: a shape, a colour and a word, so that readers need not rely on one alone.
import {h, svg} from "./dom";
import type {Word} from "./verdict";

// Drawn in a square of 16 around its centre.
const shapes: Record<Word, string> = {
  failed: "M-5-5L5 5M-5 5L5-5",
  missing: "M-5-5L5 5M-5 5L5-5",
  "not measured": "M-5 0H5",
  regressed: "M0-6L6 5H-6Z",
  inconclusive: "M0-6L6 0L0 6L-6 0Z",
  new: "M-6 0H6M0-6V6",
  improved: "M0 6L6-5H-6Z",
  "not worse": "M-5-3L0 4L5-3",
  same: "M-4 0A4 4 0 1 1 4 0A4 4 0 1 1-4 0Z",
};
const stroked = new Set<Word>(["failed", "missing", "not measured", "new", "not worse"]);

export function className(word: Word): string {
  return `is-${word.replace(" ", "-")}`;
}

export function shapeOf(word: Word): string {
  return shapes[word] ?? shapes["not measured"];
}

export function symbol(word: Word): SVGSVGElement {
  return svg(
    "svg",
    {
      class: `symbol ${className(word)}${stroked.has(word) ? " stroked" : ""}`,
      viewBox: "-8 -8 16 16",
      width: 14,
      height: 14,
      "aria-hidden": "true",
    },
    svg("path", {d: shapeOf(word)}),
  );
}

export function badge(word: Word): HTMLElement {
  return h("span", {class: `badge ${className(word)}`}, symbol(word), word);
}
