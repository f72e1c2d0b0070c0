// SPDX-License-Identifier: Apache-2.0
// Figures as the terminal's report writes them (ci/support/text.cpp).
import type {Achieved, Figure, Metric} from "./verdict";

export const absent = "–";

const grouped = new Intl.NumberFormat("en-US", {maximumFractionDigits: 0});

// Four significant digits of a number from 1 up to 1000; whole beyond.
function fourDigits(value: number): string {
  return value.toFixed(value < 9.9995 ? 3 : value < 99.995 ? 2 : value < 999.95 ? 1 : 0);
}

const timeUnits: [number, string][] = [
  [1e9, "s"],
  [1e6, "ms"],
  [1e3, "µs"],
  [1, "ns"],
];

export function time(nanoseconds: number): string {
  for (const [unit, name] of timeUnits) {
    // A figure that rounds to 1000 becomes 1 of the next unit.
    if (nanoseconds >= 0.99995 * unit) return `${fourDigits(nanoseconds / unit)} ${name}`;
  }
  return `${Number(nanoseconds.toPrecision(3))} ns`;
}

// A readable unit for all times of a plot.
export function timeUnit(nanoseconds: number): [number, string] {
  return timeUnits.find(([unit]) => nanoseconds >= unit) ?? [1, "ns"];
}

export function count(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e18) return grouped.format(value);
  return String(Number(value.toPrecision(4)));
}

export function figure(unit: string, value: Figure): string {
  if (value == null) return absent;
  return unit === "ns" ? time(value) : count(value);
}

// "+4.00 %" up to a doubling, "×32.0" beyond.
export function ratio(value: number | undefined): string {
  if (value === undefined || Number.isNaN(value)) return absent;
  if (value === Infinity) return "from 0";
  if (value === 1) return "0 %";
  if (value >= 2) return `×${value.toFixed(1)}`;
  const change = Math.abs(value - 1);
  // What moved is not said to have moved by 0.
  const decimals = change < 5e-5 ? -Math.floor(Math.log10(100 * change)) : change < 0.1 ? 2 : 1;
  return `${percent(value - 1, decimals)} %`;
}

// "+4.00": of a fraction, with its sign.
export function percent(fraction: number, decimals: number): string {
  const digits = (100 * Math.abs(fraction)).toFixed(decimals);
  return `${fraction < 0 ? "−" : "+"}${digits}`;
}

// The smallest, whose digits say nothing to a reader, are "below 0.0001".
export function probability(p: number): string {
  return p < 1e-4 ? "below 0.0001" : String(Number(p.toPrecision(1)));
}

export function interval(metric: Metric): string {
  const {low, high, p, floor} = metric;
  const parts: string[] = [];
  if (low != null && high != null) {
    parts.push(`interval ${percent(low - 1, 2)} to ${percent(high - 1, 2)} %`);
  }
  if (p != null) parts.push(`p ${probability(p)}`);
  if (floor != null) parts.push(`floor ${(100 * floor).toFixed(1)} %`);
  return parts.join(", ");
}

const rateUnits: [number, string][] = [
  [1e12, "TB/s"],
  [1e9, "GB/s"],
  [1e6, "MB/s"],
  [1, "B/s"],
];

export function rate(bytesPerSecond: number): string {
  const [unit, name] = rateUnits.find(([each]) => bytesPerSecond >= each) ?? [1, "B/s"];
  return `${fourDigits(bytesPerSecond / unit)} ${name}`;
}

const operationUnits: [number, string][] = [
  [1e12, "T/s"],
  [1e9, "G/s"],
  [1e6, "M/s"],
  [1, "/s"],
];

// Operations: "12.3 T/s".
export function operationRate(perSecond: number): string {
  const [unit, name] = operationUnits.find(([each]) => perSecond >= each) ?? [1, "/s"];
  return `${fourDigits(perSecond / unit)} ${name}`;
}

// "45.8 %"
export function share(fraction: number): string {
  return `${(100 * fraction).toFixed(1)} %`;
}

// "45.8 % of copy"; absent where there is no share.
export function shareOfCeiling(achieved: Achieved | undefined): string | undefined {
  if (achieved?.share_of_ceiling == null) return undefined;
  return `${share(achieved.share_of_ceiling)} of ${achieved.ceiling ?? ""}`;
}

export function counted(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? "" : "s"}`;
}

// At most so many characters of a name: its beginning and its end, since names of templates often differ only
// in their last arguments.
export function shortened(name: string, most: number): string {
  const characters = [...name];
  if (characters.length <= most) return name;
  const end = Math.floor((most - 1) / 2);
  const beginning = characters.slice(0, most - 1 - end);
  return `${beginning.join("")}…${characters.slice(characters.length - end).join("")}`;
}
