// SPDX-License-Identifier: Apache-2.0
// A browser, and pages made from verdicts as the program makes them. Told by the environment:
// CHROMIUM, and FILL_PAGE, which puts a verdict into the page.
import assert from "node:assert/strict";
import {spawnSync} from "node:child_process";
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from "node:fs";
import {createRequire} from "node:module";
import {tmpdir} from "node:os";
import {join} from "node:path";
import {pathToFileURL} from "node:url";
import {chromium} from "playwright-core";

// A script for a page, which gives it `axe`.
export const axe = readFileSync(
  createRequire(import.meta.url).resolve("axe-core/axe.min.js"),
  "utf8",
);

const patience = 60_000; // ms, of a machine that does much else

export async function openBrowser() {
  // Without its sandbox, which needs rights that containers do not give.
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM,
    args: ["--no-sandbox"],
    timeout: patience,
  });
  const folder = mkdtempSync(join(tmpdir(), "warpgauge-page-"));
  // A new page takes a process of its own; so one that its test has left is taken again.
  let left;
  const newPage = async () => {
    const context = await browser.newContext();
    context.setDefaultTimeout(patience);
    const opened = {context, page: await context.newPage(), faults: [], self: ""};
    const fault = (text) => opened.faults.push(text);
    opened.page.on("pageerror", (error) => fault(`error: ${error.stack}`));
    opened.page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning")
        fault(`console: ${message.text()}`);
    });
    opened.page.on("dialog", (dialog) => {
      fault(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    opened.page.on("request", (request) => {
      const url = request.url();
      if (!url.startsWith("file:") || !decodeURI(url).includes(opened.self))
        fault(`request: ${url.slice(0, 200)}`);
    });
    return opened;
  };
  return {
    // The address of a page that holds the JSON as it is or, with `report`, what the program makes
    // of such a verdict: the trends of a history, and names of references.
    make(verdict, report) {
      let options = [];
      if (report) {
        const trends = report.trends ? join(mkdtempSync(join(folder, "trends-")), "trends.json") : "";
        if (trends) writeFileSync(trends, JSON.stringify(report.trends));
        options = ["--verdict", trends, ...(report.references ?? [])];
      }
      const filled = spawnSync(process.env.FILL_PAGE, options, {
        input: JSON.stringify(verdict),
        maxBuffer: 1 << 30,
      });
      if (filled.status !== 0) throw new Error(`fill_page: ${filled.stderr}`);
      const file = join(mkdtempSync(join(folder, "page-")), "report.html");
      writeFileSync(file, filled.stdout);
      return pathToFileURL(file).href;
    },
    // Opens the address. `faults` collects what no page may do: errors, dialogs, requests.
    async open(address, {scheme = "light", width = 1280, height = 900, self = "report.html"} = {}) {
      const opened = left ?? (await newPage());
      left = undefined;
      const {context, page} = opened;
      const faults = (opened.faults = []);
      opened.self = self;
      await page.emulateMedia({media: null, colorScheme: scheme});
      await page.setViewportSize({width, height});
      await page.goto(address);
      return {
        page,
        faults,
        // For good: nothing of this page is taken again.
        discard: () => context.close(),
        async close() {
          if (page.url().startsWith("file:"))
            await page.evaluate(() => [localStorage, sessionStorage].forEach((each) => each.clear()));
          await page.mouse.move(0, 0);
          opened.faults = [];
          await page.goto("about:blank");
          if (left) await context.close();
          else left = opened;
        },
      };
    },
    // Opens the page, runs `body` on it and fails if the page reported a fault.
    async visit(address, options, body) {
      const {page, faults, close} = await this.open(address, options);
      try {
        await body(page);
        assert.deepEqual(faults, []);
      } finally {
        await close();
      }
    },
    async close() {
      await browser.close();
      rmSync(folder, {recursive: true});
    },
  };
}

// Holds what is shown to axe's rules, which the page has loaded.
export async function checkRules(page, view) {
  const {violations, passes} = await page.evaluate(() => globalThis.axe.run());
  assert.ok(passes.length > 10);
  assert.deepEqual(
    violations.map(({id, help, nodes}) => ({
      id,
      help,
      nodes: nodes.slice(0, 3).map(({html}) => html.slice(0, 200)),
    })),
    [],
    view,
  );
}

// Goes to the view with this hash, opens all that is folded, and holds it to axe's rules, which the
// page has loaded, and to the width of the screen.
export async function checkView(page, view) {
  if (view !== "#/") await page.evaluate((hash) => (location.hash = hash), view);
  // The new view is there: the last one's mark is gone.
  await page.waitForFunction(() => !document.querySelector("main[data-seen]"));
  await page.evaluate(() => document.querySelector("main").setAttribute("data-seen", ""));
  for (const summary of await page.locator("summary").all()) await summary.click();
  await checkRules(page, view);
  const [wide, room] = await page.evaluate(() => [
    document.documentElement.scrollWidth,
    innerWidth,
  ]);
  assert.ok(wide <= room, `${view} is ${wide} wide in ${room}`);
}
