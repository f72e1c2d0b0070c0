// SPDX-License-Identifier: Apache-2.0
// The HTML report as its readers meet it: in a browser, from a file, made by the program.
import assert from "node:assert/strict";
import {test} from "node:test";
import {axe, checkView} from "./browser.mjs";
import {example} from "./example.mjs";
import {address, browser, hashOf, names, of, padded, root, verdict, views, visit} from "./page_example.mjs";

test("the overview says what the verdict says", () =>
  visit(address, {}, async (page) => {
    assert.equal((await page.locator("h1").textContent()).toLowerCase(), verdict.outcome);
    const text = await page.locator("main").innerText();
    for (const expected of [
      verdict.device,
      verdict.before.name,
      verdict.after.name,
      ...verdict.notes,
      verdict.edits.headline,
    ]) {
      assert.ok(text.includes(expected), expected);
    }
    assert.equal(await page.locator("code.command").textContent(), verdict.approve_command);
    for (const [word, number] of Object.entries(verdict.counts)) {
      assert.equal(
        await page.locator(`.chip[data-verdict="${word}"] .number`).textContent(),
        String(number),
      );
    }
    const changed = verdict.benchmarks.filter((each) => each.verdict !== "same");
    assert.deepEqual(
      await names(page),
      changed.map(({id}) => id),
    );
    const row = page.locator("tbody tr", {hasText: padded().id});
    const time = padded().metrics[0];
    assert.equal(await row.locator("td.verdict").innerText(), "regressed");
    assert.equal(
      await row.locator("td.before").innerText(),
      `${(time.before / 1e3).toPrecision(4)} µs`,
    );
    assert.equal(
      await row.locator("td.after").innerText(),
      `${(time.after / 1e6).toPrecision(4)} ms`,
    );
    assert.equal(
      await row.locator("td.change").innerText(),
      `+${(100 * (time.after / time.before - 1)).toFixed(1)} %`,
    );
    assert.match(
      await row.locator(".why").innerText(),
      /1 → 32 a request at kernels\/transpose\.cuh:\d+ if \(row/,
    );
  }));

test("the list comes before the notes, which a button leads to", () =>
  visit(address, {}, async (page) => {
    const top = (selector) => page.locator(selector).evaluate((each) => each.offsetTop);
    assert.ok((await top("table.benchmarks")) < (await top("#notes")));
    assert.ok((await top("table.benchmarks")) < 600);
    await page.locator("button", {hasText: `${verdict.notes.length} notes`}).click();
    assert.equal(await page.evaluate(() => document.activeElement.id), "notes");
  }));

test("the overview says how far times moved", () =>
  visit(address, {}, async (page) => {
    const time = ({metrics}) => metrics.find(({metric}) => metric === "time");
    const ratios = verdict.benchmarks
      .filter((each) => time(each).verdict === "regressed")
      .map((each) => time(each).after / time(each).before)
      .sort((a, b) => a - b);
    assert.ok(ratios.length > 2);
    const mean = Math.exp(ratios.reduce((sum, each) => sum + Math.log(each), 0) / ratios.length);
    const text = (each) => `+${(100 * (each - 1)).toFixed(each < 1.1 ? 2 : 1)} %`;
    const row = page.locator("table.summary tr", {hasText: "regressed"});
    assert.deepEqual(
      await row.locator("td").allInnerTexts(),
      [String(ratios.length), ...[mean, ratios[0], ratios.at(-1)].map(text)],
    );
    const timed = verdict.benchmarks.filter((each) => time(each).before && time(each).after);
    assert.equal(
      await page.locator("table.summary tr", {hasText: "all timed"}).locator("td").first().innerText(),
      String(timed.length),
    );
  }));

test("a strip places the ratio, its interval and the floor on the axis", () =>
  visit(address, {}, async (page) => {
    const benchmark = verdict.benchmarks.find(({id}) => id.startsWith("stencil/shared/"));
    const strip = page.locator("tbody tr", {hasText: benchmark.id}).locator("svg.strip");
    const x = async (selector, name) =>
      Number.parseFloat(await strip.locator(selector).getAttribute(name));
    const {before, after, low, high, floor} = benchmark.metrics[0];
    const place = (ratio) => 50 + (43 * Math.log(ratio)) / Math.log(1.25);
    const near = (value, expected) =>
      assert.ok(Math.abs(value - expected) < 0.01, `${value}, not ${expected}`);
    near(await x("svg", "x"), place(after / before));
    near(await x("line.interval", "x1"), place(low));
    near(await x("line.interval", "x2"), place(high));
    near(await x("rect.floor", "x"), place(1 - floor));
    near(await x("rect.floor", "width"), place(1 + floor) - place(1 - floor));
  }));

test("a change beyond the axis is marked as beyond", () => {
  const far = structuredClone(padded());
  far.metrics = far.metrics.filter(({metric}) => metric === "shared_load_wavefronts");
  return visit(browser.make({...verdict, benchmarks: [far]}), {}, async (page) => {
    assert.equal(await page.locator("td.change").innerText(), "×32.0");
    assert.equal(await page.locator("svg.strip .mark.beyond").count(), 1);
  });
});

test("unchanged benchmarks are folded, counted, and unfold", () =>
  visit(address, {}, async (page) => {
    const fold = page.locator(".folded button");
    assert.match(await fold.innerText(), new RegExp(`same: ${of("same").length} benchmarks`));
    await fold.click();
    assert.deepEqual(
      await names(page),
      verdict.benchmarks.map(({id}) => id),
    );
    assert.match(
      await page.locator(".status").innerText(),
      new RegExp(`^${verdict.benchmarks.length} of `),
    );
  }));

test("text and verdicts filter, and say how many remain", () =>
  visit(address, {}, async (page) => {
    await page.locator("#filter").fill("STENCIL/");
    const stencils = verdict.benchmarks.filter(({id}) => id.includes("stencil/"));
    assert.deepEqual(
      await names(page),
      stencils.filter((each) => each.verdict !== "same").map(({id}) => id),
    );
    const folded = stencils.filter((each) => each.verdict === "same").length;
    assert.match(
      await page.locator(".folded button").innerText(),
      new RegExp(`same: ${folded} benchmark`),
    );
    await page.locator("#filter").fill("");
    await page.locator('.chip[data-verdict="regressed"]').click();
    assert.ok(!(await names(page)).some((id) => of("regressed").some((each) => each.id === id)));
    assert.equal(
      await page.locator('.chip[data-verdict="regressed"]').getAttribute("aria-pressed"),
      "false",
    );
  }));

test("the filter takes letters for the same, large or small", () => {
  const mixed = {
    schema: 1,
    benchmarks: [
      {id: "Scan/Plain", verdict: "new"},
      {id: "dot", verdict: "new"},
    ],
  };
  return visit(browser.make(mixed), {}, async (page) => {
    await page.locator("#filter").fill("sCAN/p");
    assert.deepEqual(await names(page), ["Scan/Plain"]);
  });
});

test("the list sorts by gravity, change, name and family", () =>
  visit(address, {}, async (page) => {
    await page.locator(".folded button").click();
    const sorted = async (order) => {
      await page.locator("#sort").selectOption(order);
      return names(page);
    };
    const ids = verdict.benchmarks.map(({id}) => id);
    assert.deepEqual(await sorted("name"), [...ids].sort());
    const families = (await sorted("family")).map((id) => id.split("/")[0]);
    assert.deepEqual(families, [...families].sort());
    assert.equal((await sorted("ratio"))[0], padded().id);
    assert.deepEqual(await sorted("gravity"), ids);
  }));

test("everything can be done by keyboard", () =>
  visit(address, {}, async (page) => {
    const tabTo = async (selector) => {
      for (let i = 0; i < 60; ++i) {
        await page.keyboard.press("Tab");
        if (await page.evaluate((each) => document.activeElement.matches(each), selector)) return;
      }
      assert.fail(`Tab does not reach ${selector}`);
    };
    await tabTo(".skip");
    await tabTo('.chip[data-verdict="same"]');
    await page.keyboard.press("Space");
    assert.equal((await names(page)).length, verdict.benchmarks.length);
    await page.keyboard.press("Space");
    await tabTo("#filter");
    await page.keyboard.type("transpose");
    await tabTo("table.benchmarks a");
    await page.keyboard.press("Enter");
    await page.locator("h1.id").waitFor();
    assert.equal(await page.locator("h1.id").textContent(), padded().id);
    assert.equal(await page.evaluate(() => document.activeElement.id), "main");
    await page.goBack();
    await page.locator("#filter").waitFor();
    assert.equal(await page.locator("#filter").inputValue(), "transpose");
  }));

// Not one figure: neither beyond the screen's edge nor within a part that must be moved sideways.
async function checkNothingCut(page, view) {
  const cut = await page.evaluate(() => {
    const wide = [...document.querySelectorAll("main *")].filter(
      (each) =>
        each.checkVisibility() &&
        !each.closest("svg, .unseen, .strip-axis, thead") &&
        (each.getBoundingClientRect().right > innerWidth + 0.5 ||
          (each.clientWidth > 0 && each.scrollWidth > each.clientWidth + 1)),
    );
    const texts = [...document.querySelectorAll("main .plot svg text")].filter((each) => {
      const {left, right} = each.getBoundingClientRect();
      return left < -0.5 || right > innerWidth + 0.5;
    });
    return [...wide, ...texts].map((each) => each.outerHTML.slice(0, 160));
  });
  assert.deepEqual(cut, [], view);
}

test("no figure is cut on a phone", () =>
  visit(address, {width: 360}, async (page) => {
    await page.locator(".folded button").click();
    for (const view of views()) {
      if (view !== "#/") await page.evaluate((hash) => (location.hash = hash), view);
      await page.waitForTimeout(100);
      for (const summary of await page.locator("summary").all()) await summary.click();
      while (await page.locator(".gap button").count())
        await page.locator(".gap button").first().click();
      await page.waitForTimeout(100);
      await checkNothingCut(page, view);
    }
  }));

for (const width of [1280, 360])
  test(`names in the roofline cover no mark, ${width} wide`, () =>
    visit(`${address}#/roofline`, {width}, async (page) => {
      await page.locator(".plot svg").first().waitFor();
      const covered = await page.evaluate(() => {
        const plot = document.querySelector(".plot svg");
        const marks = [...plot.querySelectorAll("[data-mark=dot] circle, [data-mark=dot] path")];
        const middles = marks.map((each) => {
          const {left, top, width, height} = each.getBoundingClientRect();
          return [left + width / 2, top + height / 2];
        });
        const names = [...plot.querySelectorAll("text")].filter((each) => /^\w+\/\w+/.test(each.textContent));
        return [
          names.length,
          names
            .filter((each) => {
              const box = each.getBoundingClientRect();
              return middles.some(
                ([x, y]) => x > box.left && x < box.right && y > box.top && y < box.bottom,
              );
            })
            .map((each) => each.textContent),
        ];
      });
      assert.ok(covered[0] > 0, "there are names");
      assert.deepEqual(covered[1], []);
    }));

test("the environment marks what differs", () =>
  visit(`${address}#/environment`, {}, async (page) => {
    assert.deepEqual(await page.locator("tr.differs th").allInnerTexts(), [
      "device: driver",
      "processes",
    ]);
    const driver = page.locator("tr.differs", {hasText: "driver"});
    assert.deepEqual(await driver.locator("td").allInnerTexts(), [
      "580.159.04",
      "590.31.02",
      "differs",
    ]);
  }));

test("a verdict of the least there can be, or of another schema, is no error", async () => {
  const least = browser.make({schema: 1, benchmarks: [{id: "a", verdict: "same"}]});
  for (const view of [
    "#/",
    "#/b/a",
    "#/b/none",
    "#/b/%",
    "#/roofline",
    "#/environment",
    "#/nowhere",
  ]) {
    await visit(least + view, {}, async (page) =>
      assert.ok(await page.locator("h1").isVisible(), view),
    );
  }
  await visit(browser.make({schema: 1, benchmarks: []}), {}, async (page) => {
    assert.match(await page.locator(".status").innerText(), /0 of 0 benchmarks/);
  });
  await visit(browser.make({schema: 3, benchmarks: []}), {}, async (page) => {
    assert.match(await page.locator("main").innerText(), /schema 3/);
  });
});

const hostile = [
  "</script><script>pwned = 1</script><img src=x onerror='pwned = 1'><svg onload=\"pwned = 1\">",
  "<!--<script>",
  '" onfocus=pwned=1 autofocus x="',
  "javascript:pwned=1",
  "' & &lt;b&gt; &amp; `${pwned=1}`",
  "\u202egnp.exe\u2066 עברית العربية",
  "👩‍👩‍👧‍👦 \ud83d",
  "\u0000\u0007\u001b[31m\r\n\u2028\u2029",
  "scan\u200b\u2800\ufff0\u{1bca0}\u{e0041}/plain",
  "__proto__",
  "constructor/toString",
  "x".repeat(10000),
  "slash/".repeat(1700),
  "%E0%A4%A",
  "../../#/roofline?a=b&c",
];

// What people see of it: see ci/support/text.cpp.
const shown = (text) =>
  text
    .replaceAll(/[\0\x07\x1b\r\u2028\u2029\u202e\u2066]/g, " ")
    .replaceAll(/[\u200d\u200b\u2800\ufff0\u{1bca0}\u{e0041}\p{Cs}]/gu, "\ufffd");

test("hostile text harms nothing, and all of it is seen", async () => {
  const evil = structuredClone(verdict);
  evil.benchmarks = evil.benchmarks.slice(0, hostile.length + 2);
  evil.benchmarks.push(structuredClone(evil.benchmarks.at(-1)));
  let i = 0;
  const next = () => hostile[i++ % hostile.length];
  const kept = new Set(["verdict", "class", "unit", "access"]);
  const poison = (value) => {
    if (typeof value === "string") return next();
    if (Array.isArray(value)) return value.map(poison);
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) => [
        key,
        kept.has(key) || (key === "metric" && each === "time") ? each : poison(each),
      ]),
    );
  };
  const poisoned = poison(evil);
  poisoned.benchmarks.forEach((each, k) => {
    each.id = `${k} ${hostile[k % hostile.length]}`;
    each.not_measured = Object.fromEntries(hostile.map((text) => [text, text]));
    const file = hostile[0];
    for (const line of [...each.lines_before, ...each.lines_after]) line.file = file;
  });
  poisoned.sources = Object.fromEntries(
    hostile.map((text) => [text, `${hostile[0]}\n`.repeat(100)]),
  );
  poisoned.before.session[hostile[0]] = {[hostile[1]]: hostile[2]};
  const where = browser.make(poisoned);
  for (const width of [1280, 390]) {
    await visit(where, {width}, async (page) => {
      while (await page.locator(".folded button").count())
        await page.locator(".folded button").first().click();
      assert.deepEqual(
        await names(page),
        poisoned.benchmarks.map(({id}) => shown(id)),
      );
      for (const {id} of poisoned.benchmarks) {
        await page
          .locator("table.benchmarks th a")
          .nth(poisoned.benchmarks.findIndex((each) => each.id === id))
          .click();
        await page.locator("h1.id").waitFor();
        assert.equal(await page.locator("h1.id").textContent(), shown(id));
        assert.equal(await page.title(), shown(await page.title()));
        await page.goBack();
        await page.locator("#filter").waitFor();
      }
      for (const view of [
        "#/",
        hashOf({id: poisoned.benchmarks[0].id}),
        "#/roofline",
        "#/environment",
      ]) {
        await page.evaluate((hash) => (location.hash = hash), view);
        await page.waitForTimeout(100);
        assert.equal(await page.evaluate(() => typeof pwned), "undefined", view);
        const text = await page.locator("#page").textContent();
        assert.equal(text, shown(text), view);
        assert.equal(
          await page
            .locator("#page img, #page script, #page [onerror], #page [onload], #page [onfocus]")
            .count(),
          0,
        );
        const [wide, room] = await page.evaluate(() => [
          document.documentElement.scrollWidth,
          innerWidth,
        ]);
        assert.ok(wide <= room, `${view} is ${wide} wide in ${room}`);
      }
    });
  }
});

for (const scheme of ["light", "dark"]) {
  for (const width of [1280, 390]) {
    test(`axe finds nothing, ${scheme}, ${width} wide, and nothing is wider than the screen`, async () => {
      await visit(address, {scheme, width}, async (page) => {
        await page.evaluate(axe);
        await page.locator(".folded button").click();
        for (const view of views()) {
          await checkView(page, view);
        }
      });
    });
  }
}

test("the reader's choice of theme goes before the system's", () =>
  visit(address, {scheme: "light"}, async (page) => {
    const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await paper();
    await page.locator(".theme select").selectOption("dark");
    assert.notEqual(await paper(), light);
    await page.reload();
    assert.notEqual(await paper(), light);
    await page.locator(".theme select").selectOption("light");
    assert.equal(await paper(), light);
  }));

test("2,000 benchmarks open, and unfold", async () => {
  const many = example(root, {benchmarks: 2000});
  const where = browser.make(many);
  await visit("about:blank", {}, async () => {});
  const begin = performance.now();
  await visit(where, {}, async (page) => {
    await page.locator("table.benchmarks").waitFor();
    const opened = performance.now();
    await page.locator(".folded button").click();
    await page.evaluate(
      () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
    );
    const unfolded = performance.now();
    assert.equal((await names(page)).length, 2000);
    // Printed, never asserted: it says more about the machine than about the page.
    console.log(
      `# 2,000 benchmarks: open in ${Math.round(opened - begin)} ms, unfolded in ${Math.round(unfolded - opened)} ms more`,
    );
  });
});
