// SPDX-License-Identifier: Apache-2.0
// The trends page as its readers meet it: in a browser, from a file, made by the program's own page.
import assert from "node:assert/strict";
import {readFileSync} from "node:fs";
import {after, before, test} from "node:test";
import {axe, checkRules, checkView, openBrowser} from "./browser.mjs";


const runs = Array.from({length: 30}, (_, i) => ({
  number: i + 1,
  created: `2026-11-${String(i + 1).padStart(2, "0")}T04:00:00Z`,
  revision: `${String(i).padStart(4, "0")}c0de`.repeat(5),
  modified: i === 29,
  uuid: `GPU-${i % 3}1c81924-9f9f`,
  driver: "580.159.04",
  cuda: "13.0",
  ...(i === 5 ? {} : {committed: `2026-11-${String(i + 1).padStart(2, "0")}T03:00:00Z`}),
  ...(i === 3 ? {verdict: "https://ci.example/runs/4"} : {}),
  ...(i === 4 ? {verdict: "out of/verdict 5#x.html"} : {}),
}));
const time = (i) => (i < 12 ? 1000 : 1060) + (i % 5);
// As the program writes them: made up, with a step, a drift, and exact metrics.
const trends = {
  schema: 1,
  version: "0.1.0",
  device: "NVIDIA H200",
  runs,
  trends: [
    {
      id: "scan/plain/1",
      metrics: [
        {
          metric: "global_load_sectors",
          unit: "",
          class: "exact",
          points: [
            [0, 64],
            [19, 64],
            [20, 65],
            [29, 65],
          ],
          changes: [{kind: "exact", first: 20, last: 20, before: 64, after: 65, worse: true}],
        },
        {
          metric: "shared_load_requests",
          unit: "",
          class: "exact",
          points: [
            [0, 1536],
            [29, 1536],
          ],
          changes: [],
        },
        {
          metric: "time",
          unit: "ns",
          class: "statistical",
          points: runs.map((_, i) => [i, time(i), time(i) - 2, time(i) + 3]),
          changes: [
            {kind: "step", first: 12, last: 12, before: 1002, after: 1062, worse: true, p: 2e-9},
          ],
        },
      ],
    },
    {
      id: "scan/wide/1",
      metrics: [
        {
          metric: "time",
          unit: "ns",
          class: "statistical",
          points: runs.map((_, i) => [i, 5000 - 20 * i]),
          changes: [
            {kind: "drift", first: 0, last: 29, before: 5000, after: 4420, worse: false, p: 1e-12},
          ],
        },
      ],
    },
  ],
};
const hashOf = (id) => `#/b/${encodeURIComponent(id)}`;

let browser;
let address;
before(async () => {
  browser = await openBrowser();
  address = browser.make(trends);
});
after(() => browser.close());

const visit = (...visited) => browser.visit(...visited);

test("the overview lists changes, the newest first, and all benchmarks", () =>
  visit(address, {}, async (page) => {
    assert.equal(await page.locator("h1").textContent(), "Trends");
    const text = await page.locator("main").innerText();
    for (const expected of ["NVIDIA H200, 30 runs", "2026-11-30 04:00"])
      assert.ok(text.includes(expected), expected);
    const named = (name) => page.locator("section", {has: page.locator("h2", {hasText: name})});
    const rows = await named("Changes").locator("tbody tr").all();
    const cells = await Promise.all(rows.map((row) => row.locator("th, td").allInnerTexts()));
    const trimmed = cells.map((row) => row.map((each) => each.trim()));
    assert.deepEqual(trimmed, [
      [
        "scan/plain/1",
        "global_load_sectors",
        "worse",
        "exact",
        "0020c0de00",
        "2026-11-21 04:00",
        "64",
        "65",
        "+1.56 %",
        "–",
      ],
      [
        "scan/plain/1",
        "time",
        "worse",
        "step",
        "0012c0de00",
        "2026-11-13 04:00",
        "1.002 µs",
        "1.062 µs",
        "+5.99 %",
        "below 0.0001",
      ],
      [
        "scan/wide/1",
        "time",
        "better",
        "drift",
        "0000c0de00 to 0029c0de00+",
        "2026-11-01 04:00",
        "5.000 µs",
        "4.420 µs",
        "−11.6 %",
        "below 0.0001",
      ],
    ]);
    const benchmarks = named("Benchmarks");
    assert.deepEqual(await benchmarks.locator("tbody th").allInnerTexts(), [
      "scan/plain/1",
      "scan/wide/1",
    ]);
    await page.locator("#filter").fill("WIDE");
    assert.deepEqual(await benchmarks.locator("tbody th").allInnerTexts(), ["scan/wide/1"]);
    assert.match(await page.locator(".status").innerText(), /^1 of 2 benchmarks, 1 change$/);
  }));

test("a benchmark shows each metric over runs, with intervals and changes", () =>
  visit(address + hashOf("scan/plain/1"), {}, async (page) => {
    const sections = page.locator("main > section");
    const names = await page.locator("main > section > h2").allInnerTexts();
    assert.deepEqual(names, ["time", "global_load_sectors", "The same in all runs"]);
    const times = sections.nth(0);
    await times.locator(".plot svg").waitFor();
    assert.equal(await times.locator(".plot svg [data-mark=dot] circle").count(), 30);
    // 30 intervals, and the step.
    assert.equal(await times.locator(".plot svg [data-mark=rule] line").count(), 31);
    assert.match(await times.locator(".plot svg").textContent(), /▲ \+5\.99 %/);
    const place = await times.evaluate((part) => {
      const x = (line) => Number(line.getAttribute("x1"));
      const lines = [...part.querySelectorAll("[data-mark=rule]")];
      const step = lines.find((each) => each.getAttribute("stroke-dasharray"));
      const bars = lines.filter((each) => each !== step).flatMap((each) => [...each.children]);
      return {step: x(step.firstElementChild), before: x(bars[11]), after: x(bars[12])};
    });
    assert.ok(place.before < place.step && place.step < place.after, JSON.stringify(place));
    assert.deepEqual(await sections.nth(2).locator("td").allInnerTexts(), ["1,536"]);

    await times.locator("summary").click();
    const row = times.locator("tbody tr").nth(12);
    assert.deepEqual(await row.locator("th, td").allInnerTexts(), [
      "0012c0de00",
      "13",
      "2026-11-13 03:00",
      "2026-11-13 04:00",
      "GPU-01c81924",
      "1.062 µs",
      "1.060 µs to 1.065 µs",
      "step +5.99 %, worse",
    ]);
    assert.equal(await times.locator("tbody tr").nth(5).locator("td").nth(1).innerText(), "–");
  }));

test("a drift is a line from where it begins to where it ends", () =>
  visit(address + hashOf("scan/wide/1"), {}, async (page) => {
    const plot = page.locator(".plot svg");
    await plot.waitFor();
    assert.equal(await plot.locator("[data-mark=link] path").count(), 1);
    assert.match(await plot.textContent(), /▼ −11\.6 %/);
    await page.locator("summary").click();
    const marks = await page.locator("tbody tr td:last-child").allInnerTexts();
    assert.equal(marks[0], "begin of drift −11.6 %, better");
    assert.equal(marks[29], "end of drift −11.6 %, better");
  }));

test("a point leads to its verdict, on the web or beside the page", () =>
  visit(address + hashOf("scan/plain/1"), {}, async (page) => {
    await page.locator("summary").first().click();
    const links = page.locator("main > section").nth(0).locator("tbody th a");
    const targets = await links.evaluateAll((all) => all.map((each) => each.href));
    const folder = address.slice(0, address.lastIndexOf("/"));
    assert.deepEqual(targets, [
      "https://ci.example/runs/4",
      `${folder}/out%20of/verdict%205%23x.html`,
    ]);
  }));

test("axe finds nothing in what the pointer leaves in a plot", () =>
  visit(address + hashOf("scan/plain/1"), {}, async (page) => {
    await page.locator(".plot svg [data-mark=dot] circle").nth(3).hover({force: true});
    const tip = page.locator(".plot svg [aria-label=tip] text").first();
    await tip.waitFor();
    await page.mouse.move(0, 0);
    await tip.waitFor({state: "detached"});
    await page.evaluate(axe);
    await checkRules(page);
  }));

test("a click on a point opens its verdict", async () => {
  const {page, discard} = await browser.open(address + hashOf("scan/plain/1"));
  await page.route("https://ci.example/**", (route) => route.fulfill({body: "the verdict"}));
  const dot = page.locator(".plot svg [data-mark=dot] circle").nth(3);
  await dot.hover({force: true});
  await dot.click({force: true});
  await page.waitForURL("https://ci.example/runs/4");
  await discard();
});

test("what is no address of a page or a file is no link", () => {
  const evil = structuredClone(trends);
  ["javascript:alert(1)", "javascript://x/%0aalert(1)", "data:text/html,x", "vbscript:x"].forEach(
    (verdict, i) => (evil.runs[i].verdict = verdict),
  );
  return visit(browser.make(evil) + hashOf("scan/plain/1"), {}, async (page) => {
    const targets = await page
      .locator("main a")
      .evaluateAll((all) => all.map((each) => new URL(each.href).protocol));
    assert.deepEqual([...new Set(targets)].sort(), ["file:"]);
  });
});

test("a plot is saved as an SVG that needs nothing of the page", () =>
  visit(address + hashOf("scan/plain/1"), {}, async (page) => {
    await page.locator(".plot svg").first().waitFor();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", {name: "Save as SVG"}).first().click(),
    ]);
    assert.equal(download.suggestedFilename(), "scan-plain-1-time.svg");
    const text = readFileSync(await download.path(), "utf8");
    assert.ok(!text.includes("var(--"), "a colour of the page is left in it");
    assert.ok(!text.includes("class="));
    const read = await page.evaluate((source) => {
      const image = new DOMParser().parseFromString(source, "image/svg+xml");
      const circles = [...image.querySelectorAll("circle")];
      return {
        root: image.documentElement.tagName,
        circles: circles.length,
        // Styled as shown: blue.
        fill: circles[0]?.closest("g")?.style.fill,
      };
    }, text);
    assert.deepEqual(read, {root: "svg", circles: 30, fill: "rgb(0, 114, 178)"});
  }));

test("history without runs, of another schema, or of an unknown benchmark is no error", async () => {
  const none = browser.make({schema: 1, device: "d", runs: [], trends: []});
  await visit(none, {}, async (page) => {
    assert.match(await page.locator("main").innerText(), /Nothing changed for good/);
  });
  await visit(none + "#/b/none", {}, async (page) => {
    assert.match(await page.locator("main").innerText(), /no benchmark named none/);
  });
  await visit(browser.make({schema: 2, runs: [], trends: []}), {}, async (page) => {
    assert.match(await page.locator("main").innerText(), /schema 2/);
  });
});

test("hostile text harms nothing, and all of it is seen", () => {
  const text = "</script><img src=x onerror='pwned = 1'>\u202e\" onfocus=pwned=1 x=\"";
  const evil = structuredClone(trends);
  evil.device = text;
  evil.runs.forEach((run) => Object.assign(run, {revision: text, uuid: text, verdict: text}));
  evil.trends[0].id = text;
  evil.trends[0].metrics[2].metric = text;
  return visit(browser.make(evil), {width: 390}, async (page) => {
    const benchmarks = page.locator("section", {has: page.locator("h2", {hasText: "Benchmarks"})});
    await benchmarks.locator("tbody a").first().click();
    await page.locator("h1.id").waitFor();
    const seen = text.replace("\u202e", " ");
    assert.equal(await page.locator("h1.id").textContent(), seen);
    assert.ok(!(await page.locator("#page").textContent()).includes("\u202e"));
    for (const summary of await page.locator("summary").all()) await summary.click();
    assert.equal(await page.evaluate(() => typeof pwned), "undefined");
    assert.equal(await page.locator("#page img, #page [onerror], #page [onfocus]").count(), 0);
  });
});

for (const scheme of ["light", "dark"]) {
  for (const width of [1280, 390]) {
    test(`axe finds nothing, ${scheme}, ${width} wide, and nothing is wider than the screen`, () =>
      visit(address, {scheme, width}, async (page) => {
        await page.evaluate(axe);
        for (const view of ["#/", hashOf("scan/plain/1"), hashOf("scan/wide/1"), "#/b/none"]) {
          await checkView(page, view);
        }
      }));
  }
}
