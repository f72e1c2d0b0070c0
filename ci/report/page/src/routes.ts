// SPDX-License-Identifier: Apache-2.0
// Addresses within the page: #/, #/b/ID, #/variants, #/roofline, #/environment.

export type Route =
  | {view: "overview"}
  | {view: "benchmark"; id: string}
  | {view: "variants"}
  | {view: "roofline"}
  | {view: "environment"};

export function benchmarkAddress(id: string): string {
  // Half a character, which JSON can hold, has no address of its own.
  return `#/b/${encodeURIComponent(id.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\ufffd"))}`;
}

export function routeOf(hash: string): Route {
  if (hash === "#/variants") return {view: "variants"};
  if (hash === "#/roofline") return {view: "roofline"};
  if (hash === "#/environment") return {view: "environment"};
  if (hash.startsWith("#/b/")) {
    try {
      return {view: "benchmark", id: decodeURIComponent(hash.slice(4))};
    } catch {
      return {view: "benchmark", id: hash.slice(4)};
    }
  }
  return {view: "overview"};
}
