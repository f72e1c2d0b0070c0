// SPDX-License-Identifier: Apache-2.0
// The page of an example, in a browser that is open for as long as the tests of a file run.
import {after, before} from "node:test";
import {openBrowser} from "./browser.mjs";
import {example} from "./example.mjs";

export const root = process.env.SOURCE_ROOT;

export let browser;
export let verdict;
export let address;
before(async () => {
  browser = await openBrowser();
  verdict = example(root, {failing: true, same: 36});
  address = browser.make(verdict);
});
after(() => browser.close());

export const of = (word) => verdict.benchmarks.filter((each) => each.verdict === word);
export const padded = () => verdict.benchmarks.find(({id}) => id.startsWith("transpose/padded/"));
export const hashOf = ({id}) => `#/b/${encodeURIComponent(id)}`;
export const names = (page) =>
  page
    .locator("table.benchmarks tbody th")
    .evaluateAll((cells) => cells.map((cell) => cell.querySelector("a").textContent));
export const views = () => [
  "#/",
  hashOf(padded()),
  hashOf(of("failed")[0]),
  hashOf(of("new")[0]),
  "#/roofline",
  "#/environment",
];

export const visit = (...visited) => browser.visit(...visited);

export const section = (page, title) =>
  page.locator("section", {has: page.locator("h2", {hasText: new RegExp(`^${title}$`)})});
