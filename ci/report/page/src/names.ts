// SPDX-License-Identifier: Apache-2.0
// Where names stand in a chart: pure geometry, in pixels.

type Box = [left: number, top: number, right: number, bottom: number];

export interface Named {
  px: number;
  py: number;
  text: string;
  roof: boolean;
  lifts?: number[]; // how far the name may stand below its point, the best first
}

export type Placed<D> = D & {anchor: "start" | "end"; lift: number};

// Places names beside points, the notable ones first, so that none covers another one or a mark, or
// stands beside another one's mark: x and y in pixels. A roof strikes a name out only where that has
// no other place. A roof's name covers marks rather than be left out.
export function placeNames<D extends Named>(
  dots: D[],
  marks: {px: number; py: number}[],
  roofs: number[],
  width: number,
): Placed<D>[] {
  const [letter, line, mark] = [6.4, 13, 4];
  const taken: Box[] = [];
  const drawn = marks.map(({px, py}): Box => [px - mark, py - mark, px + mark, py + mark]);
  const isFree = ([left, top, right, bottom]: Box, boxes: Box[]): boolean =>
    boxes.every(([l, t, r, b]) => left >= r || right <= l || top >= b || bottom <= t);
  return dots.flatMap((dot) => {
    const wide = letter * dot.text.length;
    const lifts = dot.lifts ?? [0];
    const places = [...lifts.map((lift) => [lift, false]), [lifts[0] ?? 0, true]] as [number, boolean][];
    const isOthers = (middle: number, lift: number): boolean =>
      marks.some(
        ({px, py}) =>
          py !== dot.py && Math.abs(px - dot.px) < 10 && Math.abs(py - middle) < Math.abs(lift),
      );
    for (const [lift, anchor, struck] of places.flatMap(([lift, struck]) => [
      [lift, "start", struck] as const,
      [lift, "end", struck] as const,
    ])) {
      const left = anchor === "start" ? dot.px + 8 : dot.px - 8 - wide;
      const middle = dot.py + lift;
      const box: Box = [left, middle - line / 2, left + wide, middle + line / 2];
      if (left < 0 || box[2] >= width || !isFree(box, taken)) continue;
      if (!dot.roof && !isFree(box, drawn)) continue;
      if (!dot.roof && !struck && roofs.some((each) => each > box[1] && each < box[3])) continue;
      if (!dot.roof && isOthers(middle, lift)) continue;
      taken.push(box);
      return [{...dot, anchor, lift}];
    }
    return [];
  });
}
