// SPDX-License-Identifier: Apache-2.0
// The trends of a history, as the page reads them (ci/history/trends_page.cpp). Times in ns. All strings may be
// hostile, as those of a verdict (see verdict.ts).

export interface Run {
  number: number;
  created: string;
  revision: string;
  modified: boolean;
  committed?: string;
  uuid: string;
  driver: string;
  cuda: string;
  verdict?: string;
}

// Index of the run, figure, and its interval if known.
export type Point = [run: number, figure: number, low?: number, high?: number];

export interface TrendChange {
  kind: "step" | "drift" | "exact";
  first: number; // index of the run
  last: number;
  before: number;
  after: number;
  worse: boolean;
  p?: number;
}

export interface TrendMetric {
  metric: string;
  unit: string;
  class: string;
  points: Point[];
  changes: TrendChange[];
}

export interface Trends {
  schema: number;
  version?: string;
  device: string;
  runs: Run[];
  trends: {id: string; metrics: TrendMetric[]}[];
}

// Returns nothing for data that is no history's. Throws with the problem and the remedy.
export function trendsFrom(value: unknown): Trends | undefined {
  const trends = value as Partial<Trends> | null;
  if (!Array.isArray(trends?.trends) || !Array.isArray(trends.runs)) return undefined;
  if (trends.schema !== 1) {
    throw new Error(
      `This page reads trends of schema 1, and these are of schema ${String(trends.schema)}. ` +
        "Make the page with the warpgauge that it belongs to.",
    );
  }
  return trends as Trends;
}

// "4f1c0de2b9+"; for a run without a known commit, its number.
export function nameOf(run: Run): string {
  if (!run.revision) return `run ${run.number}`;
  return `${[...run.revision].slice(0, 10).join("")}${run.modified ? "+" : ""}`;
}

// "2026-11-21 04:19".
export function minute(utc: string): string {
  return utc.slice(0, 16).replace("T", " ");
}

// Link to a verdict: a web page or a file next to this one. Nothing for other addresses, such as
// scripts.
export function verdictAddress(run: Run): string | undefined {
  if (!run.verdict) return undefined;
  const isWeb = /^https?:\/\//.test(run.verdict);
  if (!isWeb && run.verdict.includes("://")) return undefined;
  try {
    const path = run.verdict.split("/").map(encodeURIComponent).join("/");
    const url = isWeb ? new URL(run.verdict) : new URL(path, document.baseURI);
    return ["http:", "https:", "file:"].includes(url.protocol) ? url.href : undefined;
  } catch {
    return undefined;
  }
}
