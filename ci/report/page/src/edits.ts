// SPDX-License-Identifier: Apache-2.0
// The change's own edits of baselines and policy, shown so that nobody overlooks them.
import {counted} from "./format";
import {foreign, h} from "./dom";
import type {Edits} from "./verdict";

// For a new baseline, the diff says more than a list.
const mostListed = 200;

export function editsOf(edits: Edits | undefined): HTMLElement | null {
  if (!edits) return null;
  const lines = [
    ...[...(edits.baselines ?? []), ...(edits.policy ?? [])].map((each) => [each.edit, each.what]),
    ...(edits.unclear ?? []).map((what) => ["unclear", what]),
  ];
  const more = lines.length - mostListed;
  return h(
    "div",
    {class: "notes edits"},
    h("h2", {}, "Edits of baselines and policy"),
    h("p", {}, foreign(edits.headline)),
    lines.length > 1 &&
      h(
        "details",
        {},
        h("summary", {}, "All ", counted(lines.length, "edit")),
        h(
          "ul",
          {},
          lines
            .slice(0, mostListed)
            .map(([edit, what]) => h("li", {}, `${edit}: `, foreign(what ?? ""))),
          more > 0 && h("li", {}, `${counted(more, "more edit")} in verdict.json`),
        ),
      ),
  );
}
