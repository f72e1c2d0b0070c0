// SPDX-License-Identifier: Apache-2.0
// The frame around every view: skip link, name, links, theme; and the view for unknown addresses.
import {foreign, h} from "./dom";
import {themeChoice} from "./theme";

export interface Frame {
  content: HTMLElement;
  // Marks the link of the shown view; for any other name, marks no link.
  mark(view: string): void;
}

export function frame(
  page: HTMLElement,
  version: string | undefined,
  views: [string, string, string][],
): Frame {
  const links = views.map(([view, href, text]) => ({view, link: h("a", {href}, text)}));
  const content = h("div");
  page.replaceChildren(
    h(
      "a",
      {
        class: "skip",
        href: "#main",
        click: (event) => {
          event.preventDefault();
          document.getElementById("main")?.focus();
        },
      },
      "Skip to the content",
    ),
    h(
      "header",
      {class: "top"},
      h(
        "span",
        {class: "brand"},
        "Warpgauge",
        h("span", {class: "version"}, version ? ` ${version}` : ""),
      ),
      h(
        "nav",
        {"aria-label": "Views"},
        links.map(({link}) => link),
      ),
      themeChoice(),
    ),
    content,
  );
  return {
    content,
    mark(view) {
      for (const each of links) {
        if (each.view === view) each.link.setAttribute("aria-current", "page");
        else each.link.removeAttribute("aria-current");
      }
    },
  };
}

// place: what was searched, as in "This verdict".
export function noSuchBenchmark(place: string, id: string): HTMLElement {
  return h(
    "main",
    {id: "main", tabindex: -1},
    h("h1", {}, "No such benchmark"),
    h(
      "p",
      {},
      `${place} has no benchmark named `,
      foreign(id),
      ". ",
      h("a", {href: "#/"}, "All benchmarks"),
    ),
  );
}
