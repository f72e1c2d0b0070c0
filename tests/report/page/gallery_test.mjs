// SPDX-License-Identifier: Apache-2.0
// The gallery: pages of what was really measured, made by the program, in the folder GALLERY. Each is
// opened as readers do, and its pictures are taken. The one in docs/guide/reports-h200 must be the
// same: after a change of the page, `GALLERY_UPDATE=1` writes it again, and the documentation's pictures.
import assert from "node:assert/strict";
import {spawnSync} from "node:child_process";
import {copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync} from "node:fs";
import {join} from "node:path";
import {after, before, test} from "node:test";
import {pathToFileURL} from "node:url";
import {axe, checkRules, openBrowser} from "./browser.mjs";

const {GALLERY: gallery, SOURCE_ROOT: root, WARPGAUGE: program, SLOWER_SUITE: suite} = process.env;
const recorded = join(root, "docs/guide/reports-h200");

function warpgauge(...options) {
  const run = spawnSync(program, options, {cwd: root, encoding: "utf8", maxBuffer: 1 << 28});
  assert.ok(run.status === 0 || run.status === 1 || run.status === 3, run.stdout + run.stderr);
}

function page(name, verdict, ...options) {
  const out = join(gallery, `${name}.html`);
  warpgauge("report", verdict, "--format", "html", "--out", out, ...options);
  return out;
}

const carried = (file) => /id="verdict">([^]*?)<\/script>/.exec(readFileSync(file, "utf8"))[1];

let browser;
before(async () => {
  mkdirSync(join(gallery, "no-baselines"), {recursive: true});
  browser = await openBrowser();
});
after(() => browser.close());

// The documentation's pictures of these views, with the part of the page that they show.
const pictures = {
  overview: {path: join(root, "docs/guide/report.png"), clip: {x: 0, y: 0, width: 1280, height: 1000}},
  benchmark: {
    path: join(root, "docs/guide/report-benchmark.png"),
    clip: {x: 0, y: 60, width: 1280, height: 820},
  },
};

// Views by the name of their picture; what each must say.
async function look(file, views, kept = {}) {
  for (const [scheme, width] of [
    ["light", 1280],
    ["dark", 360],
  ]) {
    const address = pathToFileURL(file).href;
    const opened = await browser.open(address, {scheme, width, self: file});
    await opened.page.evaluate(axe);
    for (const [name, [hash, said]] of Object.entries(views)) {
      await opened.page.evaluate((each) => (location.hash = each), hash);
      await opened.page.waitForTimeout(200);
      const text = await opened.page.locator("main").innerText();
      for (const each of said) assert.ok(text.includes(each), `${file} ${hash}: ${each}`);
      await checkRules(opened.page, `${file} ${hash}`);
      const wide = await opened.page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(wide <= width, `${file} ${hash} is ${wide} wide`);
      await opened.page.screenshot({
        path: file.replace(/html$/, `${name}.${width}.png`),
        fullPage: true,
      });
      if (process.env.GALLERY_UPDATE && scheme === "light" && kept[name]) {
        await opened.page.screenshot({...kept[name], fullPage: true});
      }
    }
    assert.deepEqual(opened.faults, []);
    await opened.close();
  }
}

test("six slowdowns planted in the suite, on an H200", async () => {
  const file = page("h200-slowdowns", join(recorded, "verdict.json"));
  await look(file, {
    overview: ["#/", ["12 regressed, 2 inconclusive, 123 same of 137 benchmarks"]],
    benchmark: [
      "#/b/transpose%2Fpadded%2F4096x4096",
      ["tile[threadIdx.x][j];", "×32.0", "17 unchanged metrics, 7 shown only"],
    ],
    variants: ["#/variants", ["transpose/1025x1023"]],
  }, pictures);
  const kept = join(recorded, "report.html");
  if (process.env.GALLERY_UPDATE) copyFileSync(file, kept);
  assert.ok(carried(kept) === carried(file), `${kept} is not what ${program} makes; GALLERY_UPDATE=1 writes it again`);
});

test("all kernels' first run, on an H200", async () => {
  const verdict = join(gallery, "h200-kernels.json");
  const results = join(root, "docs/explain/kernels-h200.json");
  warpgauge("compare", join(gallery, "no-baselines"), results, "--json", verdict);
  await look(page("h200-kernels", verdict, "--reference", "naive,global"), {
    roofline: [
      "#/roofline",
      ["copy, measured", "shared memory, given: 132 multiprocessors × 128 B × 1980 MHz"],
    ],
    variants: ["#/variants", ["transpose/16384x16384", "reference"]],
  });
});

test("slowdowns planted in the suite, on the emulator", {skip: !existsSync(suite ?? "")}, async () => {
  const out = join(gallery, "emulated");
  warpgauge("gate", "--suite", suite, "--filter", "transpose/", "--out", out, "--quiet");
  await look(page("emulated-slowdowns", join(out, "verdict.json")), {
    overview: ["#/", ["2 regressed, ", " same of "]],
    benchmark: ["#/b/transpose%2Fpadded%2F256x192", ["×32.0"]],
  });
});

test("the gallery has an index", () => {
  const pages = {
    "h200-slowdowns": "Six slowdowns planted in the suite, found on an H200",
    "h200-kernels": "The first run of all kernels on an H200: roofline and variants",
    "emulated-slowdowns": "Slowdowns planted in the suite, found on the emulator",
  };
  const items = Object.entries(pages)
    .filter(([name]) => existsSync(join(gallery, `${name}.html`)))
    .map(([name, text]) => `<li><a href="${name}.html">${text}</a></li>`);
  assert.ok(items.length >= 2);
  writeFileSync(
    join(gallery, "index.html"),
    `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Warpgauge reports</title><h1>Reports of real measurements</h1><ul>${items.join("")}</ul></html>\n`,
  );
});
