// SPDX-License-Identifier: Apache-2.0
// One file that needs no network: scripts and styles stand in the page itself, and its policy allows
// no other script than that one.
import {createHash} from "node:crypto";
import {defineConfig} from "vite";
import {viteSingleFile} from "vite-plugin-singlefile";

const allowOwnScript = {
  name: "allow-own-script",
  enforce: "post",
  generateBundle: {
    order: "post",
    handler(_, bundle) {
      const page = bundle["index.html"];
      const script = /<script type="module"[^>]*>([^]*?)<\/script>/.exec(page.source)?.[1];
      if (!script) throw new Error("the page holds no inlined script");
      const hash = createHash("sha256").update(script).digest("base64");
      const policy =
        `default-src 'none'; script-src 'sha256-${hash}'; style-src 'unsafe-inline'; ` +
        "img-src data:; base-uri 'none'; form-action 'none'";
      page.source = page.source.replace(
        '<meta charset="utf-8">',
        (charset) => `${charset}\n<meta http-equiv="Content-Security-Policy" content="${policy}">`,
      );
    },
  },
};

export default defineConfig({
  plugins: [viteSingleFile({removeViteModuleLoader: true}), allowOwnScript],
  build: {target: "es2022", outDir: "dist"},
});
