// SPDX-License-Identifier: Apache-2.0
// Source lines and their instructions on the shown view, so that each leads to the other. Compilers
// name a file by its whole path, reports below the source's root: one ends with the other.

type Show = () => void;

const lines = new Map<string, Show>();
const instructions = new Map<string, Show>();

export function forgetPlaces(): void {
  lines.clear();
  instructions.clear();
}

function find(all: Map<string, Show>, place: string): Show | undefined {
  const known = all.get(place);
  if (known) return known;
  for (const [each, show] of all) {
    if (each.endsWith(`/${place}`) || place.endsWith(`/${each}`)) return show;
  }
  return undefined;
}

// Places are "kernels/copy.cuh:31".
export function onLine(place: string, show: Show): void {
  lines.set(place, show);
}

export function onInstructions(place: string, show: Show): void {
  if (!instructions.has(place)) instructions.set(place, show);
}

export function hasLine(place: string): boolean {
  return find(lines, place) !== undefined;
}

export function showLine(place: string): void {
  find(lines, place)?.();
}

export function showInstructions(place: string): void {
  find(instructions, place)?.();
}

// The file that a compiler's path means.
export function fileOf(path: string, sources: Record<string, string>): string | undefined {
  if (Object.hasOwn(sources, path)) return path;
  return Object.keys(sources).find((each) => path.endsWith(`/${each}`));
}

// Scrolls there, and marks it for a moment.
export function flash(rows: HTMLElement[]): void {
  rows[0]?.scrollIntoView({block: "center"});
  for (const each of rows) {
    each.classList.remove("flash");
    requestAnimationFrame(() => each.classList.add("flash"));
  }
}
