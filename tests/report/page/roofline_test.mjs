// SPDX-License-Identifier: Apache-2.0
// The roofline in a browser.
import assert from "node:assert/strict";
import {test} from "node:test";
import {address, browser, verdict, visit} from "./page_example.mjs";

test("no roof strikes out a name in the roofline", () => {
  const changed = structuredClone(verdict);
  // One benchmark reaches its roof, another one nearly.
  changed.roofs = {arithmetic: {per_second: 66.9e12, from: "given"}};
  const [highest] = Object.values(changed.ceilings).sort((a, b) => b - a);
  const timed = changed.benchmarks.filter(({achieved, verdict}) => achieved && verdict !== "same");
  timed.slice(0, 2).forEach(({achieved}, i) => (achieved.bytes_per_second = highest * (1 - i / 20)));
  assert.equal(timed.slice(0, 2).length, 2);
  return visit(`${browser.make(changed)}#/roofline`, {}, async (page) => {
    await page.locator(".plot svg").first().waitFor();
    const [names, struck] = await page.evaluate(() => {
      const plot = document.querySelector(".plot svg");
      const boxOf = (each) => each.getBoundingClientRect();
      const names = [...plot.querySelectorAll("text")].filter((each) => /^\w+\/\w+|^32-bit/.test(each.textContent));
      const flat = [...plot.querySelectorAll("[stroke-dasharray='6 3'] line")].map((each) => boxOf(each).top);
      // Where the sloping roof is below a column of the screen.
      const slope = plot.querySelector("[stroke-dasharray='2 3'] path");
      const at = (x) => {
        const {left, top, width, height} = boxOf(slope);
        return x < left || x > left + width ? undefined : top + (height * (x - left)) / width;
      };
      // Letters are less high than their line.
      const strikes = ({top, bottom}, y) => y !== undefined && y > top + 2 && y < bottom - 2;
      return [
        names.map((each) => each.textContent),
        names
          .filter((each) => {
            const box = boxOf(each);
            const ends = each.textContent.startsWith("32-bit") ? [at(box.left), at(box.right)] : [];
            return [...flat, ...ends].some((y) => strikes(box, y));
          })
          .map((each) => each.textContent),
      ];
    });
    assert.ok(names.some((each) => each.startsWith("32-bit")), names.join());
    for (const {id} of timed.slice(0, 2)) {
      const name = id.split("/").slice(0, 2).join("/");
      assert.ok(names.includes(name), `${name} in ${names.join()}`);
    }
    assert.deepEqual(struck, []);
  });
});

test("the roofline shows each timed benchmark and its share of the ceiling", () =>
  visit(`${address}#/roofline`, {}, async (page) => {
    const timed = verdict.benchmarks.filter(
      ({work, metrics}) =>
        work.bytes_read + work.bytes_written > 0 &&
        metrics.some(({metric, after}) => metric === "time" && after),
    );
    await page.locator("summary", {hasText: `As a table of ${timed.length} benchmarks`}).click();
    assert.equal(await page.locator("table.roofline tbody tr").count(), timed.length);
    const shares = await page.locator("table.roofline tbody tr td:nth-child(6)").allInnerTexts();
    const held = timed.filter(({achieved}) => achieved.share_of_ceiling);
    assert.ok(held.length > 0 && held.length < timed.length);
    assert.deepEqual(
      shares,
      held
        .map(({achieved}) => achieved.share_of_ceiling)
        .sort((a, b) => b - a)
        .map((share) => `${(100 * share).toFixed(1)} %`)
        .concat(Array(timed.length - held.length).fill("–")),
    );
    await page.locator(".plot svg").waitFor();
  }));
