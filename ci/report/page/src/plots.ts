// SPDX-License-Identifier: Apache-2.0
// Common to all plots: they adapt to the available width, and screen readers get a description
// instead; a table below each plot has the figures.
import {plot, type PlotOptions} from "@observablehq/plot";
import {h, seen} from "./dom";

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
    // A plot with links is no image to screen readers; the table has the same links for the keyboard.
    const links = image.querySelectorAll("a");
    image.setAttribute("role", links.length > 0 ? "group" : "img");
    for (const link of links) {
      link.setAttribute("tabindex", "-1");
      link.setAttribute("aria-hidden", "true");
    }
    image.setAttribute("aria-label", seen(description));
    const texts = document.createTreeWalker(image, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) texts.currentNode.nodeValue = seen(texts.currentNode.nodeValue ?? "");
    // Screen readers ignore an image's parts, so the parts must have no names; data-mark keeps
    // them. Parts that the pointer adds later hide themselves.
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
