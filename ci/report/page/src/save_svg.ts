// SPDX-License-Identifier: Apache-2.0
// A plot as an SVG file that looks the same without this page around it.
import {h} from "./dom";

// The page's styles that affect a plot.
const inherited = [
  "fill",
  "fill-opacity",
  "stroke",
  "stroke-width",
  "stroke-dasharray",
  "stroke-opacity",
  "font-family",
  "font-size",
  "font-variant-numeric",
  "font-weight",
  "text-anchor",
];

export function standalone(image: SVGSVGElement): string {
  const copy = image.cloneNode(true) as SVGSVGElement;
  const originals = [image, ...image.querySelectorAll("*")];
  const copies = [copy, ...copy.querySelectorAll("*")];
  originals.forEach((original, i) => {
    const each = copies[i];
    if (!each || original.tagName === "style") return;
    const style = getComputedStyle(original);
    for (const name of ["class", ...inherited]) each.removeAttribute(name);
    each.setAttribute(
      "style",
      inherited.map((name) => `${name}:${style.getPropertyValue(name)}`).join(";"),
    );
  });
  for (const style of copy.querySelectorAll("style")) style.remove();
  const paper = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  paper.setAttribute("width", "100%");
  paper.setAttribute("height", "100%");
  paper.setAttribute("fill", getComputedStyle(document.body).backgroundColor);
  copy.prepend(paper);
  return new XMLSerializer().serializeToString(copy);
}

// A button that saves the plot in `frame`.
export function saveButton(frame: HTMLElement, name: string): HTMLElement {
  const save = (): void => {
    const image = frame.querySelector("svg");
    if (!image) return;
    const address = URL.createObjectURL(new Blob([standalone(image)], {type: "image/svg+xml"}));
    const file = `${name.replace(/[^A-Za-z0-9._-]+/g, "-").slice(0, 100)}.svg`;
    h("a", {href: address, download: file}).click();
    // Revoke later, because the browser has yet to read it.
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
  };
  return h("button", {type: "button", class: "save", click: save}, "Save as SVG");
}
