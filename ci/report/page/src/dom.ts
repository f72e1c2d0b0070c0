// SPDX-License-Identifier: Apache-2.0
// Builds the document: elements by name, everything else as text nodes or attributes, never as
// markup.

export type Child = Node | string | number | null | undefined | false | Child[];
type Attributes = Record<string, string | number | boolean | null | undefined | EventListener>;

function add(parent: Element, child: Child): void {
  if (child === null || child === undefined || child === false) return;
  if (Array.isArray(child)) {
    for (const each of child) add(parent, each);
  } else {
    parent.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

function fill<E extends Element>(element: E, attributes: Attributes, children: Child[]): E {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name, value);
    else element.setAttribute(name, value === true ? "" : String(value));
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

// For screen readers only.
export function unseen(...children: Child[]): HTMLElement {
  return h("span", {class: "unseen"}, ...children);
}

// A wide table or plot scrolls by itself; reachable by keyboard when it does.
export function scrolling(label: string, ...children: Child[]): HTMLElement {
  return h(
    "div",
    {class: "scrolling", tabindex: 0, role: "region", "aria-label": label},
    ...children,
  );
}

export function section(title: string, ...children: Child[]): HTMLElement {
  const id = "section-" + title.toLowerCase().replace(/[^a-z]+/g, "-");
  return h("section", {"aria-labelledby": id}, h("h2", {id}, title), ...children);
}
