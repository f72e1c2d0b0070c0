// SPDX-License-Identifier: Apache-2.0
// A verdict to look at and to test the page with: what was measured once (docs/explain/kernels-h200.json), and
// an "after" that is made up. It says so in its notes.
//
//   node tests/report/page/example.mjs ROOT [BENCHMARKS] > verdict.json
import {readFileSync, readdirSync} from "node:fs";
import {join} from "node:path";
import {pathToFileURL} from "node:url";

// Repeatable, so that a failing test shows the same page again (mulberry32).
function random(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const variantOf = (id) => id.split("/").slice(0, 2).join("/");
const mean = (values) => values.reduce((sum, each) => sum + each, 0) / values.length;
const gravity = [
  "failed",
  "missing",
  "not measured",
  "regressed",
  "inconclusive",
  "new",
  "improved",
  "not worse",
  "same",
];

// What is made up, by the benchmark's variant.
const stories = {
  "transpose/padded": {
    verdict: "regressed",
    time: 1.593,
    likeLinesOf: "transpose/shared",
    sass: true,
  },
  "matmul/register_blocked": {verdict: "regressed", time: 1.064, sass: true, spills: true},
  "stencil/shared": {
    verdict: "regressed",
    time: 1.11,
    reason: "the machine code is the same: look for what the machine did",
  },
  "reduction_float/interleaved_indexed": {verdict: "improved", time: 0.88, sass: true},
  "scan_inclusive/lookback": {
    verdict: "inconclusive",
    time: 1.035,
    spread: 0.03,
    reason: "the interval holds the floor: 12 more processes would settle it",
  },
  "reverse/dynamic_shared": {
    verdict: "not worse",
    time: 0.995,
    reason: "-0.8 to +0.3 %, none of it worse than +0.7 %",
  },
  "reverse/grid_wide": {verdict: "new"},
  "histogram_uniform/replicated": {
    verdict: "failed",
    message: "crashed: the process died of SIGSEGV in the time pass",
  },
};

function readLines(root) {
  const lines = new Map();
  const folder = join(root, "baselines/emulated");
  for (const file of readdirSync(folder)) {
    const {benchmarks} = JSON.parse(readFileSync(join(folder, file), "utf8"));
    for (const [id, each] of Object.entries(benchmarks ?? {})) {
      if (!lines.has(variantOf(id))) lines.set(variantOf(id), each.lines);
    }
  }
  return lines;
}

function scaled(lines, factor) {
  const counts = ["requests", "wavefronts", "ideal_wavefronts", "sectors", "ideal_sectors"];
  return lines.map((line) => ({
    ...line,
    ...Object.fromEntries(
      counts.filter((key) => key in line).map((key) => [key, Math.round(factor * line[key])]),
    ),
  }));
}

function hash(random) {
  return Array.from({length: 32}, () => Math.floor(16 * random()).toString(16)).join("");
}

function machineCode(name, random) {
  return {
    name,
    architecture: "sm_90",
    compiler: "ptxas 13.0.88",
    sass_hash: hash(random),
    instructions: 96 + 8 * Math.floor(30 * random()),
    code_bytes: 2048 + 128 * Math.floor(20 * random()),
    registers: 24 + 2 * Math.floor(20 * random()),
    static_shared_bytes: 0,
    stack_bytes: 0,
    spill_store_bytes: 0,
    spill_load_bytes: 0,
  };
}

// As of a kernel whose tile lost its padding, at the first and the last of these lines.
function instructions(root, lines) {
  const places = lines.map(({file, line}) => `${join("/src", file)}:${line}`);
  const [store, load] = [places[0] ?? "", places[places.length - 1] ?? ""];
  const row = (change, place, before, after, skipped = 0) => ({
    change,
    before,
    after,
    place,
    skipped,
  });
  const same = (place, text, skipped) => row("same", place, text, text, skipped);
  return [
    same(store, "LDG.E.CONSTANT R15, [R10.64]", 12),
    row("operands", store, "IMAD R9, R7, 0x84, R12", "IMAD R9, R7, 0x80, R12"),
    row("removed", store, "IADD3 R9, R9, 0x4, RZ", ""),
    same(store, "STS [R9], R15"),
    same(load, "BAR.SYNC.DEFER_BLOCKING 0x0", 21),
    row("added", load, "", "LEA R5, R0, <b>R8</b>, 0x7"),
    row("operands", load, "LDS R17, [R5+0x84]", "LDS R17, [R5+0x80]"),
    same(load, "STG.E [R2.64], R17"),
  ];
}

// What the verdict would say of the ceilings, near enough.
function achieved({bytes_read, bytes_written, operations}, nanoseconds, ceilings, l2Bytes) {
  const bytes = bytes_read + bytes_written;
  if (!bytes || !nanoseconds) return {};
  const bytes_per_second = (1e9 * bytes) / nanoseconds;
  const ceiling = 100 * bytes_written < bytes_read ? "read" : bytes_read === 0 ? "write" : "copy";
  const no_share_because =
    operations > 8 * bytes
      ? "its operations bound it, not memory"
      : bytes <= l2Bytes
        ? "it fits into the L2"
        : undefined;
  return {
    achieved: no_share_because
      ? {bytes_per_second, no_share_because}
      : {bytes_per_second, ceiling, share_of_ceiling: bytes_per_second / ceilings[ceiling]},
  };
}

// `benchmarks`: how many, of the same made up again and again. `failing`: one failed. `same`: how many
// are left of those that are the same, for who looks at other things.
export function example(root, {benchmarks, failing = false, same} = {}) {
  const measured = JSON.parse(readFileSync(join(root, "docs/explain/kernels-h200.json"), "utf8"));
  const lines = readLines(root);
  const next = random(7);
  const byId = new Map();
  for (const entry of measured.benchmarks) {
    const {id, pass} = entry.warpgauge;
    if (pass !== "time") continue;
    if (!byId.has(id)) byId.set(id, []);
    byId.get(id).push(entry);
  }

  const session = measured.context.warpgauge;
  const l2Bytes = session.device.l2_bytes;
  const rate = (variant) => {
    const found = [...byId].find(([id]) => id.startsWith(`bandwidth/${variant}/`));
    if (!found) return undefined;
    const {work, time_ns} = found[1][0].warpgauge;
    return (1e9 * (work.bytes_read + work.bytes_written)) / time_ns;
  };
  const ceilings = Object.fromEntries(
    ["read", "write", "copy", "triad"]
      .map((name) => [name, rate(name)])
      .filter(([, value]) => value),
  );

  const made = [...byId].map(([id, entries]) => {
    const told = stories[variantOf(id)];
    const story = (told?.verdict !== "failed" || failing ? told : undefined) ?? {
      verdict: "same",
      time: 1 + 0.008 * (next() - 0.5),
    };
    const {work} = entries[0].warpgauge;
    const before = mean(entries.map(({warpgauge}) => warpgauge.time_ns));
    const ratio = story.time ?? 1;
    const jitter = () => 1 + 0.004 * (next() - 0.5);
    const session = (label, factor, spread) => {
      const shift = jitter();
      return {
        label,
        figures: entries
          .concat(entries)
          .slice(0, 5)
          .map(
            ({warpgauge}) =>
              factor * shift * warpgauge.time_ns * (1 + (spread ?? 0.002) * (next() - 0.5)),
          ),
      };
    };
    const isNew = story.verdict === "new";
    const failed = story.verdict === "failed";
    const beforeSessions = [
      "10:41:28Z GPU-31c81924",
      "10:43:51Z GPU-415d7dc8",
      "10:46:09Z GPU-75f8e131",
      "10:48:29Z GPU-5466639d",
      "10:50:58Z GPU-a72d4949",
    ].map((label) => session(`2026-11-20T${label}`, 1));
    const after = session("2026-11-21T09:12:40Z GPU-31c81924", ratio, story.spread);
    const samples = (figures) =>
      figures.map((figure, i) =>
        entries[i % entries.length].warpgauge.samples_ns.map((each) =>
          Math.round((each * figure) / entries[i % entries.length].warpgauge.time_ns),
        ),
      );
    const observed = mean(after.figures) / before;
    const width = story.spread ?? 0.008;
    const time = {
      metric: "time",
      unit: "ns",
      class: "statistical",
      verdict: failed ? "not measured" : story.verdict,
      ...(isNew ? {} : {before}),
      ...(failed ? {} : {after: mean(after.figures)}),
      ...(isNew || failed
        ? {}
        : {
            low: observed - width,
            high: observed + width,
            floor: 0.04,
            p: story.verdict === "regressed" ? 5e-14 : 0.4,
          }),
      reason: failed ? "the benchmark failed" : (story.reason ?? ""),
      before_sessions: isNew ? [] : beforeSessions,
      after_sessions: failed ? [] : [after],
    };

    const emulated = lines.get(variantOf(id)) ?? [];
    const requests = (all) => all.reduce((sum, line) => sum + line.requests, 0);
    const counters = Object.entries(entries[0]).filter(([name]) =>
      /_(requests|sectors|wavefronts)$/.test(name),
    );
    const total = counters
      .filter(([name]) => name.endsWith("_requests"))
      .reduce((sum, [, value]) => sum + value, 0);
    const factor = requests(emulated) > 0 && total > 0 ? total / requests(emulated) : 1;
    const linesBefore = scaled(emulated, factor);
    const linesAfter = story.likeLinesOf
      ? scaled(lines.get(story.likeLinesOf), factor)
      : linesBefore;
    const metrics = [
      time,
      ...counters.map(([metric, value]) => {
        const grown = story.likeLinesOf && metric === "shared_load_wavefronts";
        const line = grown && linesAfter.find(({access}) => access === "shared_load");
        return {
          metric,
          unit: "",
          class: "exact",
          verdict: failed ? "not measured" : isNew ? "new" : grown ? "regressed" : "same",
          ...(isNew ? {} : {before: value}),
          ...(failed ? {} : {after: grown ? 32 * value : value}),
          reason: "",
          before_sessions: isNew ? [] : [{label: beforeSessions[0].label, figures: [value]}],
          after_sessions: failed ? [] : [{label: after.label, figures: [grown ? 32 * value : value]}],
          ...(grown
            ? {
                cause: {
                  before_a_request: 1,
                  after_a_request: 32,
                  no_lines_because: "",
                  lines: [{line, before: line.ideal_wavefronts, after: line.wavefronts}],
                },
              }
            : {}),
        };
      }),
    ].sort((a, b) => gravity.indexOf(a.verdict) - gravity.indexOf(b.verdict));
    return {
      id,
      verdict: story.verdict,
      message: story.message ?? "",
      work,
      ...achieved(work, failed ? 0 : mean(after.figures), ceilings, l2Bytes),
      metrics,
      ...(isNew ? {} : {samples_before: entries.map(({warpgauge}) => warpgauge.samples_ns)}),
      ...(failed ? {} : {samples_after: samples(after.figures)}),
      lines_before: isNew ? [] : linesBefore,
      lines_after: failed ? [] : linesAfter,
      kernels: [...new Set(linesBefore.map((line) => line.function))].map((name) => {
        const code = machineCode(name, next);
        const changed = {
          ...code,
          sass_hash: hash(next),
          instructions: code.instructions + 16,
          code_bytes: code.code_bytes + 256,
          ...(story.spills
            ? {registers: 128, stack_bytes: 48, spill_store_bytes: 48, spill_load_bytes: 96}
            : {}),
        };
        return {
          name,
          ...(isNew ? {} : {before: code}),
          ...(failed ? {} : {after: story.sass ? changed : code}),
          ...(story.sass && !failed && !isNew
            ? {
                sass: instructions(root, linesAfter),
                more_sass: 3,
              }
            : {}),
        };
      }),
      not_measured: failed ? {time: story.message, counters: story.message} : {},
      remarks: [],
    };
  });

  // Of each family one before any has two.
  const family = ({id}) => id.split("/")[0];
  const unchanged = made.filter((each) => each.verdict === "same");
  const place = new Map(
    unchanged.map((each) => [
      each,
      unchanged.filter((other) => family(other) === family(each)).indexOf(each),
    ]),
  );
  unchanged.sort((a, b) => place.get(a) - place.get(b));
  const left = new Set(unchanged.slice(0, same));
  const kept = made.filter((each) => each.verdict !== "same" || left.has(each));
  const wanted = benchmarks ?? kept.length;
  const all = Array.from({length: wanted}, (_, i) => {
    const each = kept[i % kept.length];
    return i < kept.length ? each : {...each, id: `${each.id}/copy_${Math.floor(i / kept.length)}`};
  });
  all.sort(
    (a, b) => gravity.indexOf(a.verdict) - gravity.indexOf(b.verdict) || (a.id < b.id ? -1 : 1),
  );
  const counts = {};
  for (const {verdict} of all) counts[verdict] = (counts[verdict] ?? 0) + 1;
  const tally = gravity
    .filter((word) => counts[word])
    .map((word) => `${counts[word]} ${word}`)
    .join(", ");

  const files = new Set(all.flatMap(({lines_after}) => lines_after.map(({file}) => file)));
  const command = "build/ci/bin/warpgauge approve results/results.json --baselines baselines";
  return {
    schema: 2,
    version: "0.1.0",
    before: {name: "baselines/nvidia-h200", session},
    after: {
      name: "results/results.json",
      session: {
        ...session,
        created: "2026-11-21T09:12:40Z",
        device: {...session.device, driver: "590.31.02"},
        source: {revision: "4f1c0de2b9a7784e0d4c6f1be3a95c7c2d8e6a10", modified: false},
        processes: 5,
      },
    },
    device: "NVIDIA H200",
    exit_status: counts.failed ? 4 : 1,
    outcome: counts.failed ? "not measured" : "regressed",
    conclusion: `${counts.failed ? "not measured" : "regressed"}: ${tally} of ${all.length} benchmarks. Fix the kernel, or approve the change: ${command}`,
    no_baseline: "",
    approve_command: command,
    allowed: [],
    notes: [
      "Example data, not a measurement: made by tests/report/page/example.mjs to show this page. Only “before” was once measured.",
      "driver differs from the baseline’s: 580.159.04 → 590.31.02",
    ],
    edits: {
      since: "4f1c0de2b9a7784e0d4c6f1be3a95c7c2d8e6a10",
      headline:
        "edits since 4f1c0de2b9: approves: reverse/shared/1048576 (nvidia-h200): time +2.10 %, reason: an example; loosens: time of reverse/*: relative_floor 4 % → 6 %",
      baselines: [
        {
          edit: "approves",
          what: "reverse/shared/1048576 (nvidia-h200): time +2.10 %, reason: an example",
          device: "nvidia-h200",
          benchmark: "reverse/shared/1048576",
          figures: [{metric: "time", before: 10000, after: 10210}],
          reason: "an example",
          by: "Someone",
        },
      ],
      policy: [{edit: "loosens", what: "time of reverse/*: relative_floor 4 % → 6 %"}],
      unclear: [],
    },
    counts,
    ceilings,
    benchmarks: all,
    sources: Object.fromEntries(
      [...files].map((file) => [file, readFileSync(join(root, file), "utf8")]),
    ),
  };
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [root, benchmarks] = process.argv.slice(2);
  process.stdout.write(
    JSON.stringify(example(root, {benchmarks: benchmarks && Number(benchmarks)})),
  );
}
