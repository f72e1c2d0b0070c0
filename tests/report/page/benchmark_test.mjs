// SPDX-License-Identifier: Apache-2.0
// A benchmark's page in a browser.
import assert from "node:assert/strict";
import {test} from "node:test";
import {address, browser, hashOf, padded, section, verdict, visit} from "./page_example.mjs";

test("a benchmark's page begins with its source, then what decides; what is the same is folded", () =>
  visit(address + hashOf(padded()), {}, async (page) => {
    assert.deepEqual(await page.locator("main h2").allInnerTexts(), [
      "Source",
      "Samples",
      "Sessions",
      "Metrics",
      "Machine code",
    ]);
    const metrics = section(page, "Metrics");
    const moved = padded().metrics.filter((each) => each.verdict !== "same");
    const names = () => metrics.locator("tbody th:visible").allInnerTexts();
    assert.deepEqual(
      await names(),
      moved.map(({metric}) => metric),
    );
    const rest = padded().metrics.length - moved.length;
    const fold = metrics.locator("summary", {hasText: `${rest} unchanged metrics`});
    assert.equal(await metrics.locator("details tbody").count(), 0);
    await fold.click();
    await metrics.locator("details tbody").waitFor();
    assert.deepEqual(
      await names(),
      padded().metrics.map(({metric}) => metric),
    );
  }));

test("instructions stand below their source line, and each leads to the other", () =>
  visit(address + hashOf(padded()), {}, async (page) => {
    const table = page.locator("table.instructions").first();
    const load = padded().lines_after.at(-1);
    const {place} = padded().kernels[0].sass.at(-1);
    const heading = table.locator(`tr.line:has([title="${place}"])`);
    const text = verdict.sources[load.file].split("\n")[load.line - 1].trim();
    assert.equal(await heading.locator("code").innerText(), text);
    assert.match(await heading.innerText(), /1 added, 1 with other operands$/);
    assert.deepEqual(await table.locator("tr.sass-operands mark").allInnerTexts(), [
      "0x84",
      "0x80",
      "R5+0x84",
      "R5+0x80",
    ]);
    const line = page.locator("table.source tr", {
      has: page.getByRole("rowheader", {name: String(load.line), exact: true}),
    });
    await heading.locator("button").click();
    await page.locator("table.source tr.flash").first().waitFor();
    const details = page.locator("details.side-by-side").first();
    await details.evaluate((each) => (each.open = false));
    await line.getByRole("button", {name: "SASS"}).click();
    await page.locator("table.instructions tr.line.flash").waitFor();
    assert.equal(await table.isVisible(), true);
  }));

test("a benchmark's page leads to the line whose cost grew most", () =>
  visit(address + hashOf(padded()), {height: 400}, async (page) => {
    const {metric, cause} = padded().metrics.find((each) => each.cause?.lines?.length);
    const {line} = cause.lines[0];
    const lead = page.locator("header.benchmark .worst-line");
    assert.equal(
      await lead.innerText(),
      `${metric} ${cause.before_a_request} → ${cause.after_a_request} a request at ${line.file}:${line.line}`,
    );
    await lead.getByRole("button").click();
    const row = page.locator("table.source tr.flash", {
      has: page.getByRole("rowheader", {name: String(line.line), exact: true}),
    });
    await row.waitFor();
    const {y, height} = await row.boundingBox();
    assert.ok(y > 0 && y + height < 400, `${y}`);
  }));

test("code of the source stands beside its line's number on a phone, of any length", () =>
  visit(address + hashOf(padded()), {width: 360}, async (page) => {
    while (await page.locator(".gap button").count())
      await page.locator(".gap button").first().click();
    const rows = await page.locator(".source tbody tr:has(.number)").evaluateAll((all) =>
      all.map((row) => {
        const of = (part) => row.querySelector(part)?.getBoundingClientRect();
        return {line: row.querySelector(".number").textContent, number: of(".number"), code: of(".code")};
      }),
    );
    assert.ok(rows.some(({line}) => Number(line) >= 100), "a line of three digits");
    assert.deepEqual(
      rows.filter(({number, code}) => code && (code.left < number.right || code.top > number.bottom)),
      [],
    );
  }));

test("a benchmark's page shows samples, sessions, metrics, source and machine code", () =>
  visit(address + hashOf(padded()), {}, async (page) => {
    const benchmark = padded();
    assert.equal(await page.locator("h1.id").textContent(), benchmark.id);
    const samples = section(page, "Samples");
    await samples.locator(".plot svg").first().waitFor();
    const dots = await samples.locator(".plot svg [data-mark=dot] circle").count();
    assert.equal(dots, [...benchmark.samples_before, ...benchmark.samples_after].flat().length);
    const sessions = section(page, "Sessions");
    const {before_sessions, after_sessions} = benchmark.metrics[0];
    assert.equal(
      await sessions.locator(".plot svg [data-mark=dot] circle").count(),
      [...before_sessions, ...after_sessions].flatMap(({figures}) => figures).length,
    );

    const {line} = benchmark.metrics[1].cause.lines[0];
    const text = verdict.sources[line.file].split("\n")[line.line - 1];
    const row = page.locator("table.source tr", {
      has: page.getByRole("rowheader", {name: String(line.line), exact: true}),
    });
    assert.equal(await row.locator("code").textContent(), text);
    const load = page.locator("table.source tr", {hasText: "shared load"});
    assert.deepEqual(
      await load.locator("td.figure").allInnerTexts(),
      [line.ideal_wavefronts, line.wavefronts, line.ideal_wavefronts].map((each) =>
        each.toLocaleString("en-US"),
      ),
    );
    assert.equal(await load.locator(".times").innerText(), "×32.0");
    assert.equal(await load.evaluate((each) => each.style.getPropertyValue("--heat")), "1.000");
    await page.locator("table.metrics").getByRole("button", {name: /^kernels\/transpose\.cuh:/}).click();
    await page
      .locator("tr.flash", {
        has: page.getByRole("rowheader", {name: String(line.line), exact: true}),
      })
      .waitFor();

    const lines = await page.locator("table.source tbody .code").count();
    await page.locator(".gap button").first().click();
    assert.ok((await page.locator("table.source tbody .code").count()) > lines);

    assert.match(
      await page.locator("details.side-by-side").first().innerText(),
      /1 added, 1 removed, 2 with other operands[^]*12 the same[^]*IADD3 R9, R9, 0x4, RZ\s*<[^]*21 the same[^]*>\s*added\s*LEA R5, R0, <b>R8<\/b>, 0x7[^]*3 more/,
    );

    const {before, after} = benchmark.kernels[0];
    const sass = await page.locator("td.sass").first().innerText();
    assert.equal(sass, `changed ${before.sass_hash.slice(0, 8)} → ${after.sass_hash.slice(0, 8)}`);
    assert.ok(
      (await page.locator("main").innerText()).includes(
        `${before.instructions} → ${after.instructions}`,
      ),
    );
  }));

test("what is not measured says so and why", async () => {
  const benchmark = {
    id: "transpose/padded/256x192",
    verdict: "same",
    metrics: [],
    samples_before: [],
    samples_after: [],
    not_measured: {
      time: "the emulator has no clock",
      source_lines: "no debug information",
      machine_code: "no nvcc",
    },
  };
  const bare = browser.make({schema: 1, benchmarks: [benchmark]});
  await visit(bare + hashOf(benchmark), {}, async (page) => {
    const text = await page.locator("main").innerText();
    for (const reason of Object.values(benchmark.not_measured))
      assert.ok(text.includes(reason), reason);
  });
  await visit(`${bare}#/roofline`, {}, async (page) => {
    assert.match(await page.locator("main").innerText(), /Not measured: the emulator has no clock/);
  });
  await visit(`${bare}#/environment`, {}, async (page) => {
    assert.match(await page.locator("main").innerText(), /Not known/);
  });
  await visit(browser.make({...verdict, ceilings: undefined}) + "#/roofline", {}, async (page) => {
    assert.match(
      await page.locator("main").innerText(),
      /Not measured: the results hold no ceilings/,
    );
  });
});

test("what a benchmark achieves is what the verdict says, whatever else the page knows", async () => {
  const changed = structuredClone(verdict);
  const [one, other] = ["transpose/padded/", "stencil/shared/"].map((name) =>
    changed.benchmarks.find(({id}) => id.startsWith(name)),
  );
  one.achieved = {bytes_per_second: 1.234e12, ceiling: "triad", share_of_ceiling: 0.4567};
  other.achieved = {bytes_per_second: 7.5e9, no_share_because: "the reason of the verdict"};
  const where = browser.make(changed);
  await visit(where, {}, async (page) => {
    const row = (benchmark) => page.locator("tbody tr", {hasText: benchmark.id});
    assert.equal(await row(one).locator(".share").innerText(), "45.7 % of triad");
    assert.equal(await row(other).locator(".share").count(), 0);
  });
  await visit(`${where}#/roofline`, {}, async (page) => {
    await page.locator("summary", {hasText: "As a table"}).click();
    const cells = (benchmark) =>
      page.locator("table.roofline tr", {hasText: benchmark.id}).locator("td").allInnerTexts();
    assert.deepEqual((await cells(one)).slice(2, 5), ["1.234 TB/s", "triad", "45.7 %"]);
    assert.deepEqual((await cells(other)).slice(2, 5), [
      "7.500 GB/s",
      "none: the reason of the verdict",
      "–",
    ]);
  });
  const work = async (page) => await page.locator("p.work").innerText();
  await visit(where + hashOf(one), {}, async (page) => {
    assert.match(await work(page), /After: 1\.234 TB\/s, 45\.7 % of triad \(this device’s ceiling: /);
  });
  await visit(where + hashOf(other), {}, async (page) => {
    assert.match(await work(page), /After: 7\.500 GB\/s, without a ceiling: the reason of the verdict\.$/);
  });
});

test("a processor's page speaks of repetitions, and of no GPU", async () => {
  const changed = structuredClone(verdict);
  for (const {session} of [changed.before, changed.after]) {
    session.device = {...session.device, kind: "cpu", multiprocessors: 0, compute_capability: ""};
  }
  for (const benchmark of changed.benchmarks) benchmark.work = {bytes_read: 0, bytes_written: 0, operations: 0};
  const page_address = browser.make(changed);
  await visit(page_address + hashOf(padded()), {}, async (page) => {
    assert.match(await section(page, "Samples").innerText(), /A dot is a repetition/);
    assert.equal(await page.locator("header.benchmark .work").count(), 0);
    assert.equal(await page.locator("nav", {hasText: "Overview"}).getByText("Roofline").count(), 0);
  });
  await visit(`${page_address}#/environment`, {}, async (page) => {
    assert.equal(await page.getByRole("rowheader", {name: "multiprocessors"}).count(), 0);
    assert.equal(await page.getByRole("rowheader", {name: "device: kind"}).count(), 1);
  });
});
