// SPDX-License-Identifier: Apache-2.0
// Each kernel's machine code: whether it changed, and the resources it needs.
import {count} from "./format";
import {foreign, h, scrolling, section, type Child} from "./dom";
import {sideBySide} from "./sass";
import type {Benchmark, Kernel, MachineCode} from "./verdict";

const resources: [keyof MachineCode & string, string][] = [
  ["registers", "registers"],
  ["static_shared_bytes", "shared, B"],
  ["stack_bytes", "stack, B"],
  ["spill_store_bytes", "spill stores, B"],
  ["spill_load_bytes", "spill loads, B"],
  ["instructions", "instructions"],
  ["code_bytes", "code, B"],
];

function identity({before, after}: Kernel): Child {
  const short = (code: MachineCode): string => (code.sass_hash ?? "").slice(0, 8);
  if (before?.sass_hash && after?.sass_hash) {
    return before.sass_hash === after.sass_hash
      ? ["identical ", h("code", {}, short(after))]
      : [h("strong", {}, "changed "), h("code", {}, `${short(before)} → ${short(after)}`)];
  }
  if (after?.sass_hash) return ["only after ", h("code", {}, short(after))];
  if (before?.sass_hash) return ["only before ", h("code", {}, short(before))];
  return "not known";
}

function resource(kernel: Kernel, key: keyof MachineCode & string): Child {
  const text = (value: unknown): string => (typeof value === "number" ? count(value) : "–");
  const [before, after] = [kernel.before?.[key], kernel.after?.[key]];
  if (!kernel.before || !kernel.after || before === after)
    return text(kernel.after ? after : before);
  return h("strong", {}, `${text(before)} → ${text(after)}`);
}

export function kernelsSection(
  benchmark: Benchmark,
  sources: Record<string, string>,
): HTMLElement {
  const kernels = benchmark.kernels ?? [];
  if (kernels.length === 0) {
    const reason = benchmark.not_measured?.["machine_code"];
    return section(
      "Machine code",
      h(
        "p",
        {class: "absent"},
        "Not measured: ",
        reason ? foreign(reason) : "the results hold no machine code of this benchmark’s kernels",
      ),
    );
  }
  return section(
    "Machine code",
    scrolling(
      "Machine code of the kernels",
      h(
        "table",
        {class: "plain"},
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            h("th", {scope: "col"}, "kernel"),
            h("th", {scope: "col"}, "SASS"),
            h("th", {scope: "col"}, "for"),
            resources.map(([, name]) => h("th", {scope: "col", class: "figure"}, name)),
          ),
        ),
        h(
          "tbody",
          {},
          kernels.map((kernel) =>
            h(
              "tr",
              {},
              h("th", {scope: "row", class: "kernel"}, h("code", {}, foreign(kernel.name))),
              h("td", {class: "sass"}, identity(kernel)),
              h(
                "td",
                {},
                foreign(kernel.after?.architecture ?? kernel.before?.architecture ?? "–"),
              ),
              resources.map(([key]) => h("td", {class: "figure"}, resource(kernel, key))),
            ),
          ),
        ),
      ),
    ),
    kernels.map((kernel) => sideBySide(kernel, sources)),
  );
}
