// SPDX-License-Identifier: Apache-2.0
// The HTML report as `warpgauge report` makes it of a verdict, a history and references: all that
// the verdict says is still there, within the size and the time that a page may take.
import assert from "node:assert/strict";
import {readFileSync} from "node:fs";
import {after, before, test} from "node:test";
import {fileURLToPath} from "node:url";
import {axe, checkView, openBrowser} from "./browser.mjs";
import {example} from "./example.mjs";

const root = process.env.SOURCE_ROOT;
const hashOf = ({id}) => `#/b/${encodeURIComponent(id)}`;

let browser;
let verdict;
let trends;
let address;
before(async () => {
  browser = await openBrowser();
  verdict = example(root);
  trends = {
    schema: 1,
    runs: Array.from({length: 70}, (_, i) => ({revision: `${i}`, created: "2026-11-01T00:00:00Z"})),
    trends: [
      {
        id: of("transpose/padded").id,
        metrics: [
          {
            metric: "time",
            points: Array.from({length: 70}, (_, i) => [i, i < 10 ? 900_000 : 700_000 + i, 1, 2]),
            changes: [],
          },
        ],
      },
    ],
  };
  address = browser.make(verdict, {trends, references: ["naive", "global"]});
});
after(() => browser.close());

const of = (variant) => verdict.benchmarks.find(({id}) => id.startsWith(`${variant}/`));
const timeOf = ({metrics}) => metrics.find(({metric}) => metric === "time");

const visit = (...visited) => browser.visit(...visited);

const carriedBy = (where) => {
  const page = readFileSync(fileURLToPath(where), "utf8");
  return JSON.parse(/id="verdict">([^]*?)<\/script>/.exec(page)[1]);
};

test("200 benchmarks are below 2 MB, and shown within 200 ms of the page's own time", async () => {
  const many = browser.make(example(root, {benchmarks: 200}), {});
  const bytes = readFileSync(fileURLToPath(many)).length;
  assert.ok(bytes < 2e6, `${bytes} bytes`);
  await visit(many, {}, async (page) => {
    await page.locator("table.benchmarks").waitFor();
    // What the page takes of the processor, whatever the machine does beside.
    const session = await page.context().newCDPSession(page);
    await session.send("Performance.enable", {timeDomain: "threadTicks"});
    const taken = async () => {
      const {metrics} = await session.send("Performance.getMetrics");
      return 1e3 * metrics.find(({name}) => name === "TaskDuration").value;
    };
    const before = await taken();
    await page.reload();
    await page.locator("table.benchmarks").waitFor();
    const shown = (await taken()) - before;
    await session.detach();
    console.log(
      `# 200 benchmarks: ${(bytes / 1e6).toFixed(2)} MB, shown in ${Math.round(shown)} ms of the processor`,
    );
    assert.ok(shown > 10, `${shown} ms`);
    assert.ok(shown < 1000, `${shown} ms`);
  });
});

test("every metric of the verdict is on the page, with its figures", async () => {
  const {benchmarks} = carriedBy(address);
  assert.equal(benchmarks.length, verdict.benchmarks.length);
  verdict.benchmarks.forEach((whole) => {
    const {metrics = [], unchanged = {}, shown = {}} = benchmarks.find(({id}) => id === whole.id);
    const all = [...metrics.map(({metric}) => metric), ...Object.keys(unchanged), ...Object.keys(shown)];
    assert.deepEqual(all.sort(), whole.metrics.map(({metric}) => metric).sort(), whole.id);
    for (const {metric, after} of whole.metrics) {
      const said = metrics.find((each) => each.metric === metric)?.after ?? unchanged[metric];
      if (after != null) assert.ok(Math.abs(said / after - 1) < 1e-5 || said === after, metric);
    }
  });
  await visit(address + hashOf(of("stencil/global")), {}, async (page) => {
    const counters = of("stencil/global").metrics.filter((each) => each.class === "exact");
    await page.locator("summary", {hasText: `${counters.length} unchanged metrics`}).click();
    for (const {metric, after} of counters) {
      const row = page.locator("table.metrics tr", {has: page.getByRole("rowheader", {name: metric, exact: true})});
      assert.equal(await row.locator("td").nth(2).innerText(), after.toLocaleString("en-US"));
    }
    // Lines and kernels that are as before are there on both sides.
    const figures = await page.locator("table.source tr.hit").first().locator("td.figure").allInnerTexts();
    assert.equal(figures[0], figures[1]);
    assert.match(await page.locator("td.sass").first().innerText(), /^identical/);
  });
});

test("of many samples a plot has some, from the fastest to the slowest, and says so", async () => {
  const changed = structuredClone(verdict);
  const benchmark = changed.benchmarks.find(({id}) => id === of("stencil/shared").id);
  benchmark.samples_after = [Array.from({length: 5000}, (_, i) => 10_000 + ((i * 37) % 5000))];
  benchmark.samples_before = [Array.from({length: 7}, (_, i) => 9_000 + i)];
  const where = browser.make(changed, {});
  const {samples_after, samples_before} = carriedBy(where).benchmarks.find(({id}) => id === benchmark.id);
  assert.equal(samples_before[0].length, 7);
  assert.deepEqual([samples_after[0][0], samples_after[0].at(-1)], [10_000, 14_999]);
  assert.ok(samples_after[0].length >= 100 && samples_after[0].length <= 400);
  await visit(where + hashOf(benchmark), {}, async (page) => {
    const section = page.locator("section", {has: page.locator("h2", {hasText: /^Samples$/})});
    assert.match(await section.innerText(), /taken evenly from the fastest to the slowest/);
    await section.locator("summary").click();
    assert.deepEqual(await section.locator("tbody tr td:nth-child(2)").allInnerTexts(), ["7", "5,000"]);
  });
});

test("the overview has a line of each benchmark's times: of the history, or of the sessions", () =>
  visit(address, {}, async (page) => {
    const line = (benchmark) =>
      page.locator("table.benchmarks tr", {hasText: benchmark.id}).locator("svg.sparkline");
    const padded = line(of("transpose/padded"));
    // The newest 60 of 70 runs, and the new side.
    const now = `${(timeOf(of("transpose/padded")).after / 1e6).toPrecision(4)} ms`;
    assert.equal(await padded.getAttribute("aria-label"), `time over 60 runs, 700.0 µs to ${now}, now ${now}`);
    assert.equal((await padded.locator("path").getAttribute("d")).match(/[ML]/g).length, 61);
    assert.match(await line(of("stencil/shared")).getAttribute("aria-label"), /^time over 5 sessions, /);
    assert.equal(await line(of("reverse/grid_wide")).count(), 0);
    assert.match(await page.locator("p.legend").innerText(), /newest 60 runs of the history/);
  }));

test("a benchmark's view has its times in the history, where it has one", async () => {
  await visit(address + hashOf(of("transpose/padded")), {}, async (page) => {
    const section = page.locator("section", {has: page.locator("h2", {hasText: /^History$/})});
    await section.locator(".plot svg").waitFor();
    assert.equal(await section.locator("[data-mark=dot] circle").count(), 60);
  });
  await visit(address + hashOf(of("stencil/shared")), {}, async (page) => {
    assert.ok(!(await page.locator("main h2").allInnerTexts()).includes("History"));
  });
});

test("the overview gives a reason in whole parts: no figure is cut", async () => {
  const changed = structuredClone(verdict);
  const benchmark = changed.benchmarks.find(({id}) => id === of("stencil/shared").id);
  const part = (i) => `part ${i} of what is said with a figure of 1234567890`;
  timeOf(benchmark).reason = [1, 2, 3, 4, 5, 6].map(part).join("; ");
  for (const width of [1280, 360]) {
    await visit(browser.make(changed, {}), {width}, async (page) => {
      const why = page.locator("table.benchmarks tr", {hasText: benchmark.id}).locator(".why");
      assert.equal(await why.innerText(), `${part(1)}; ${part(2)}; …`);
      const [whole, seen] = await why.evaluate((each) => [each.scrollHeight, each.clientHeight]);
      assert.ok(whole <= seen + 1, `${seen} of ${whole}`);
    });
  }
});

test("variants of a family and size stand in one table, with their speed-up over the reference", () =>
  visit(`${address}#/variants`, {}, async (page) => {
    const times = (family) =>
      verdict.benchmarks
        .filter((each) => each.id.startsWith(`${family}/`) && timeOf(each).after)
        .map((each) => ({variant: each.id.split("/")[1], time: timeOf(each).after}))
        .sort((a, b) => a.time - b.time);
    const section = page.locator("section", {has: page.locator("h2", {hasText: /^transpose\//})});
    const expected = (reference) => {
      const all = times("transpose");
      const {time} = all.find(({variant}) => variant === reference);
      return all.map((each) =>
        each.variant === reference ? "reference" : `×${(time / each.time).toFixed(2)}`,
      );
    };
    assert.deepEqual(await section.locator("td.speed-up").allInnerTexts(), expected("naive"));
    assert.deepEqual(
      await section.locator("tbody th a").allInnerTexts(),
      times("transpose").map(({variant}) => variant),
    );
    await page.locator("#reference").selectOption("shared");
    assert.deepEqual(await section.locator("td.speed-up").allInnerTexts(), expected("shared"));
    const matmul = page.locator("section", {has: page.locator("h2", {hasText: /^matmul\//})}).first();
    assert.equal(await matmul.locator("tr", {hasText: "reference"}).locator("a").innerText(), "global");
  }));

test("a long name keeps its end in the roofline, where names of templates differ", () => {
  const changed = structuredClone(verdict);
  const padded = changed.benchmarks.find(({id}) => id === of("transpose/padded").id);
  padded.id = `transpose/kernel<${"float, ".repeat(12)}7>/1`;
  changed.benchmarks = [padded]; // no other mark is in the way of its name
  return visit(`${browser.make(changed)}#/roofline`, {}, async (page) => {
    const plot = page.locator(".plot svg");
    await plot.waitFor();
    const texts = await plot.locator("text").allTextContents();
    assert.ok(texts.some((text) => /^transpose\/kernel<.*….*, 7>$/.test(text)), `${texts}`);
  });
});

test("the roofline has measured and given roofs, names, and points that lead to their benchmarks", () =>
  visit(`${address}#/roofline`, {}, async (page) => {
    const {multiprocessors} = verdict.after.session.device;
    const mhz = verdict.after.session.settings.sm_clock_mhz;
    const roofs = await page.locator("dl.ceilings").innerText();
    assert.ok(roofs.includes(`${multiprocessors} multiprocessors × 128 B × ${mhz} MHz`), roofs);
    assert.ok(roofs.includes(`${((multiprocessors * 128 * mhz) / 1e6).toPrecision(4)} TB/s`), roofs);
    const copy = `${(verdict.ceilings.copy / 1e12).toPrecision(4)} TB/s`;
    assert.ok(new RegExp(`copy, measured\\s+${copy}`).test(roofs), roofs);
    const plot = page.locator(".plot svg");
    await plot.waitFor();
    const texts = await plot.locator("text").allTextContents();
    for (const name of ["transpose/padded", "shared memory, given 33.45 TB/s", "32-bit floats, given"])
      assert.ok(texts.includes(name), `${name} of ${texts}`);

    const padded = of("transpose/padded");
    const count = (name) => padded.metrics.find(({metric}) => metric === name).after;
    const share =
      (count("shared_load_wavefronts") + count("shared_store_wavefronts")) /
      ((timeOf(padded).after / 1e3) * mhz * multiprocessors);
    await page.locator("summary", {hasText: "As a table"}).click();
    const row = page.locator("table.roofline tr", {hasText: padded.id});
    assert.match(await row.locator("td").nth(6).innerText(), new RegExp(`${(100 * share).toFixed(1)} %$`));

    const links = plot.locator("a");
    const shared = verdict.benchmarks.filter(
      (each) =>
        timeOf(each).after &&
        each.metrics.some(({metric, after}) => /^shared_.*_wavefronts$/.test(metric) && after > 0),
    );
    const timed = verdict.benchmarks.filter((each) => each.achieved);
    assert.equal(await links.count(), timed.length + shared.length);
    const addresses = await links.evaluateAll((all) => all.map((each) => each.href.baseVal));
    await links.nth(addresses.lastIndexOf(hashOf(padded))).click();
    await page.locator("h1.id").waitFor();
    assert.equal(await page.locator("h1.id").innerText(), padded.id);
  }));

test("on paper nothing is cut, and all is light", () =>
  visit(address, {width: 718, scheme: "dark"}, async (page) => {
    await page.emulateMedia({media: "print"});
    for (const view of ["#/", hashOf(of("transpose/padded")), "#/variants", "#/roofline", "#/environment"]) {
      await page.evaluate((hash) => (location.hash = hash), view);
      await page.waitForTimeout(150);
      const [wide, paper] = await page.evaluate(() => [
        document.documentElement.scrollWidth,
        getComputedStyle(document.body).backgroundColor,
      ]);
      assert.ok(wide <= 718, `${view} is ${wide} wide`);
      assert.equal(paper, "rgb(255, 255, 255)");
      assert.equal(await page.locator(".top, .controls, .neighbours").locator("visible=true").count(), 0);
    }
  }));

for (const [scheme, width] of [["light", 1280], ["dark", 360]]) {
  test(`axe finds nothing in what a report has more, ${scheme}, ${width} wide`, () =>
    visit(address, {scheme, width}, async (page) => {
      await page.evaluate(axe);
      for (const view of ["#/", "#/variants", "#/roofline"]) await checkView(page, view);
    }));
}
