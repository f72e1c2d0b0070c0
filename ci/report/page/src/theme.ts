// SPDX-License-Identifier: Apache-2.0
// Light or dark: the system's setting, unless the reader chooses.
import {h} from "./dom";

const choices = ["auto", "light", "dark"] as const;
const key = "warpgauge-theme";

// A page opened from disk may be refused storage.
function remembered(): string {
  try {
    return localStorage.getItem(key) ?? "auto";
  } catch {
    return "auto";
  }
}

function apply(choice: string): void {
  if (choice === "auto") document.documentElement.removeAttribute("data-theme");
  else document.documentElement.setAttribute("data-theme", choice);
}

export function themeChoice(): HTMLElement {
  const current = remembered();
  apply(current);
  return h(
    "label",
    {class: "theme"},
    "Theme ",
    h(
      "select",
      {
        change: (event) => {
          const choice = (event.target as HTMLSelectElement).value;
          apply(choice);
          try {
            localStorage.setItem(key, choice);
          } catch {
            // The choice then lasts as long as the page is open.
          }
        },
      },
      choices.map((each) => h("option", {value: each, selected: each === current}, each)),
    ),
  );
}
