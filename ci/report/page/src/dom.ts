// SPDX-License-Identifier: Apache-2.0
// Builds the document: elements by name, everything else as text nodes or attributes, never as
// markup, and so that all of it is seen.

// As ci/support/text.cpp has them: commands, and marks that turn the direction of what follows; and
// what is not seen, and makes one name look like another. Lines and tabs stay.
const controls =
  /[\0-\x08\x0B-\x1F\x7F-\x9F\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069\uFFF9-\uFFFB]/gu;
const hidden =
  /[\xAD\u034F\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200D\u2060-\u2065\u206A-\u206F\u2800\u3164\uFE00-\uFE0F\uFEFF\uFFA0\uFFF0-\uFFF8\u{1BCA0}-\u{1BCA3}\u{1D173}-\u{1D17A}\u{E0000}-\u{E0FFF}\p{Cs}]/gu;

export function seen(text: string): string {
  return text.replace(controls, " ").replace(hidden, "\uFFFD");
}

export type Child = Node | string | number | null | undefined | false | Child[];
type Attributes = Record<string, string | number | boolean | null | undefined | EventListener>;

function add(parent: Element, child: Child): void {
  if (child === null || child === undefined || child === false) return;
  if (Array.isArray(child)) {
    for (const each of child) add(parent, each);
  } else {
    parent.append(child instanceof Node ? child : document.createTextNode(seen(String(child))));
  }
}

// Attributes that readers see or hear.
const readAloud = new Set(["aria-label", "title", "placeholder", "alt"]);

function fill<E extends Element>(element: E, attributes: Attributes, children: Child[]): E {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, "");
    else element.setAttribute(name, readAloud.has(name) ? seen(String(value)) : String(value));
  }
  add(element, children);
  return element;
}

// A function among the attributes listens to the event of that name.
export function h<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  return fill(document.createElement(name), attributes, children);
}

export function svg<K extends keyof SVGElementTagNameMap>(
  name: K,
  attributes: Attributes = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

// Text from outside, isolated so that its direction cannot reorder the text around it.
export function foreign(text: string, attributes: Attributes = {}): HTMLElement {
  return h("bdi", attributes, text);
}

// A name with parts, like family/variant/size: it wraps after a slash rather than within a part.
export function identifier(text: string): HTMLElement {
  const parts = text.split("/").flatMap((part, i) => (i === 0 ? [part] : ["/", h("wbr"), part]));
  return h("bdi", {}, parts);
}

// A metric's name, shared_load_requests: it wraps after an underscore rather than within a word.
export function metricName(text: string): HTMLElement {
  const words = text.split("_").flatMap((word, i) => (i === 0 ? [word] : ["_", h("wbr"), word]));
  return h("bdi", {}, words);
}

// For screen readers only.
export function unseen(...children: Child[]): HTMLElement {
  return h("span", {class: "unseen"}, ...children);
}

// A table whose rows become cards on a phone: each cell says its column (see style.css). The roles
// stay when the display changes.
function stacked(table: HTMLTableElement): void {
  table.classList.add("stacked");
  table.setAttribute("role", "table");
  const names = [...(table.tHead?.rows[0]?.cells ?? [])].map((cell) => cell.textContent ?? "");
  for (const part of [table.tHead, ...table.tBodies]) part?.setAttribute("role", "rowgroup");
  for (const row of table.rows) {
    row.setAttribute("role", "row");
    const inHead = row.parentElement === table.tHead;
    [...row.cells].forEach((cell, i) => {
      const heading = cell.tagName === "TH";
      cell.setAttribute("role", inHead ? "columnheader" : heading ? "rowheader" : "cell");
      if (!inHead && !heading) cell.setAttribute("data-label", names[i] ?? "");
    });
  }
}

// A wide table or plot scrolls by itself; reachable by keyboard when it does.
export function scrolling(label: string, ...children: Child[]): HTMLElement {
  const frame = h(
    "div",
    {class: "scrolling", tabindex: 0, role: "region", "aria-label": label},
    ...children,
  );
  for (const table of frame.querySelectorAll<HTMLTableElement>("table.plain")) stacked(table);
  return frame;
}

// Closed, and made when it is first opened: most readers never do.
export function folded(summary: Child, make: () => Child[]): HTMLElement {
  const body = h("div");
  const details = h("details", {}, h("summary", {}, summary), body);
  details.addEventListener(
    "toggle",
    () => {
      for (const child of make()) add(body, child);
    },
    {once: true},
  );
  return details;
}

export function section(title: string, ...children: Child[]): HTMLElement {
  const id = "section-" + title.toLowerCase().replace(/[^a-z]+/g, "-");
  return h("section", {"aria-labelledby": id}, h("h2", {id}, title), ...children);
}
