// SPDX-License-Identifier: Apache-2.0
// The environments of both sides next to each other; differences are marked.
import {count} from "./format";
import {foreign, h, scrolling, type Child} from "./dom";
import {isOfCpu, type Verdict} from "./verdict";

// The session's values by path, in the order of the file.
function flatten(value: unknown, path: string, into: Map<string, string>): void {
  if (value !== null && typeof value === "object") {
    for (const [key, each] of Object.entries(value))
      flatten(each, path ? `${path}.${key}` : key, into);
  } else if (value !== undefined) {
    into.set(path, typeof value === "number" ? count(value) : value === null ? "" : String(value));
  }
}

// These always differ from one measurement to the next.
const expected = new Set(["created", "approved", "source.revision", "source.modified"]);

function cell(value: string | undefined): Child {
  if (value === undefined) return h("span", {class: "none"}, "not known");
  return value === "" ? h("span", {class: "none"}, "none") : foreign(value);
}

export function environmentView(verdict: Verdict): HTMLElement {
  const before = new Map<string, string>();
  const after = new Map<string, string>();
  flatten(verdict.before?.session, "", before);
  flatten(verdict.after?.session, "", after);
  // Of a processor nothing says how many multiprocessors it has, or which driver.
  const idle = (key: string): boolean =>
    isOfCpu(verdict) && [before, after].every((side) => ["", "0"].includes(side.get(key) ?? ""));
  const keys = [...new Set([...after.keys(), ...before.keys()])].filter(
    (key) => key !== "schema" && !idle(key),
  );
  const both = before.size > 0 && after.size > 0;
  const differs = (key: string): boolean => both && before.get(key) !== after.get(key);
  const differing = keys.filter((key) => differs(key) && !expected.has(key)).length;
  return h(
    "main",
    {id: "main", tabindex: -1},
    h("h1", {}, "Environment"),
    keys.length === 0
      ? h(
          "p",
          {class: "absent"},
          "Not known: neither side’s results describe the environment.",
        )
      : [
          h(
            "p",
            {class: "legend"},
            !both
              ? "Only one side describes its environment."
              : differing === 0
                ? "Both sides were measured in the same environment."
                : `${count(differing)} of the environment’s fields ${differing === 1 ? "differs" : "differ"}, time and revision aside.`,
          ),
          scrolling(
            "Environment of both sides",
            h(
              "table",
              {class: "plain environment"},
              h(
                "thead",
                {},
                h(
                  "tr",
                  {},
                  h("th", {scope: "col"}, "field"),
                  h("th", {scope: "col"}, "before"),
                  h("th", {scope: "col"}, "after"),
                  h("th", {scope: "col"}, "compared"),
                ),
              ),
              h(
                "tbody",
                {},
                h(
                  "tr",
                  {},
                  h("th", {scope: "row"}, "results"),
                  h("td", {}, foreign(verdict.before?.name ?? "")),
                  h("td", {}, foreign(verdict.after?.name ?? "")),
                  h("td"),
                ),
                keys.map((key) =>
                  h(
                    "tr",
                    {class: differs(key) && !expected.has(key) ? "differs" : ""},
                    h(
                      "th",
                      {scope: "row"},
                      foreign(key.replaceAll("_", " ").replaceAll(".", ": ")),
                    ),
                    h("td", {}, cell(before.get(key))),
                    h("td", {}, cell(after.get(key))),
                    h("td", {}, !both ? "" : differs(key) ? "differs" : "same"),
                  ),
                ),
              ),
            ),
          ),
        ],
  );
}
