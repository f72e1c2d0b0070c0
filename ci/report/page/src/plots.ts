// SPDX-License-Identifier: Apache-2.0
// What all plots have in common: they follow the width at hand, and screen readers get a description
// in their place; the figures themselves stand in a table below each plot.
import {plot, type PlotOptions} from "@observablehq/plot";
import {h} from "./dom";

// Calls `options` again for each width; `pick` gets the datum that was clicked.
export function figurePlot(
  description: string,
  options: (width: number) => PlotOptions,
  pick?: (datum: unknown) => void,
): HTMLElement {
  const frame = h("div", {class: "plot"});
  let drawn = 0;
  new ResizeObserver(() => {
    const width = Math.floor(frame.clientWidth);
    if (width === drawn || width === 0) return;
    drawn = width;
    const image = plot({width, style: {background: "none"}, ...options(width)});
    image.setAttribute("role", "img");
    image.setAttribute("aria-label", description);
    // Of an image's parts nothing is read out, so they must have no names; what they are stays known.
    // What the pointer brings later hides itself.
    for (const part of image.querySelectorAll("[aria-label]")) {
      part.setAttribute("data-mark", part.getAttribute("aria-label") ?? "");
      for (const name of ["aria-label", "aria-description", "aria-hidden"])
        part.removeAttribute(name);
    }
    if (pick) {
      image.addEventListener("click", () => {
        if (image.value != null) pick(image.value);
      });
    }
    frame.replaceChildren(image);
  }).observe(frame);
  return frame;
}
