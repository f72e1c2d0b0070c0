// SPDX-License-Identifier: Apache-2.0
// Each kernel's machine code: whether it changed, and the resources it needs.
import {count} from "./format";
import {foreign, h, scrolling, section, type Child} from "./dom";
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

const signs: Record<string, string> = {operands: "|", removed: "<", added: ">"};

// Instruction by instruction, folded.
function sideBySide(kernel: Kernel): Child {
  const rows = kernel.sass ?? [];
  if (rows.length === 0) return null;
  const cells = rows.flatMap((row, i) => [
    row.skipped > 0
      ? h("tr", {}, h("td", {colspan: 4, class: "absent"}, `${count(row.skipped)} the same`))
      : null,
    h(
      "tr",
      {class: `sass-${row.change in signs ? row.change : "same"}`},
      h("td", {}, row.place === rows[i - 1]?.place ? "" : foreign(row.place)),
      h("td", {}, h("code", {}, row.before)),
      h("td", {}, signs[row.change] ?? ""),
      h("td", {}, h("code", {}, row.after)),
    ),
  ]);
  return h(
    "details",
    {class: "side-by-side"},
    h(
      "summary",
      {},
      "Instructions of ",
      h("code", {}, foreign(kernel.name)),
      ` for ${kernel.after?.architecture ?? "?"}, before and after`,
    ),
    scrolling(
      "Instructions before and after",
      h(
        "table",
        {class: "plain"},
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            ["line", "before", "change", "after"].map((title) => h("th", {scope: "col"}, title)),
          ),
        ),
        h("tbody", {}, cells),
      ),
    ),
    kernel.more_sass ? h("p", {}, `${count(kernel.more_sass)} more that may have changed`) : null,
  );
}

export function kernelsSection(benchmark: Benchmark): HTMLElement {
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
    kernels.map(sideBySide),
  );
}
