// Builds dist/ from src/ and from the packages that package-lock.json names: npm ci && npm run build
import { build } from "esbuild";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { minify } from "terser";

const folder = dirname(fileURLToPath(import.meta.url));
const output = process.argv[2] ?? join(folder, "dist");
const fonts = join(folder, "node_modules/katex/dist/fonts");

rmSync(output, { recursive: true, force: true });
mkdirSync(join(output, "fonts"), { recursive: true });

/** Writes a file to dist/, and returns the paths of its sources. terser makes what esbuild has minified 5 % smaller. */
async function bundle(source, name, format, options) {
  const made = await build({
    entryPoints: [{ in: join(folder, "src", source), out: name }],
    outdir: output,
    format,
    bundle: true,
    minify: true,
    target: "es2022",
    charset: "utf8",
    legalComments: "none",
    metafile: true,
    write: false,
    ...options,
  });
  for (const { path, text } of made.outputFiles) {
    const { code } = await minify(text, {
      module: format === "esm",
      toplevel: true,
      ecma: 2020,
      compress: { passes: 2 },
      format: { comments: false },
    });
    writeFileSync(path, code);
  }
  return Object.keys(made.metafile.inputs);
}

// Parts of Mermaid that are left out, for the size of the wheel: two kinds of diagrams, which are refused with a
// message, and the layouts ELK and swimlane. A diagram that asks for one of these layouts is drawn by dagre.
const REFUSED = { swimlanesDiagram: "swimlane-beta", usecaseDiagram: "usecase-beta" };
const LEFT_OUT = /elkjs|\/elk-|swimlanes|usecaseDiagram|node_modules\/katex/;
const withoutParts = {
  name: "without-parts",
  setup: ({ onLoad }) => {
    onLoad({ filter: /mermaid\.core(\/chunk-\w+)?\.mjs$/ }, ({ path }) => ({ contents: leaveOut(readSource(path)) }));
    onLoad({ filter: /(mermaid\.core|mermaid-parser\.core)(\/.*)?\.mjs$/ }, ({ path }) => ({ contents: readSource(path) }));
  },
};

/** The source of a file of Mermaid without the calls that keep the names of functions. Nothing reads these names. */
function readSource(path) {
  return readFileSync(path, "utf8")
    .replace(/^ *__name\([\w$]+, "[^"]*"\);\n/gm, "")
    .replace(/^var __name = \(target, value\) => .*$/m, "var __name = (target) => target;");
}

function leaveOut(source) {
  return source
    .replace("...elkLayoutLoaders()", "")
    .replace(/await import\("\.\/elk-\w+\.mjs"\)/, "undefined")
    .replace(/\{\s*name: "swimlane",\s*loader: [^}]*\},/, "")
    .replace(/await import\("[^"]*\/([a-zA-Z]+)-\w+\.mjs"\)/g, (text, name) => {
      if (!Object.hasOwn(REFUSED, name)) return text;
      return `await Promise.reject(new Error("${REFUSED[name]} is left out here"))`;
    });
}

const page = await bundle("main.js", "messages", "esm", {
  loader: { ".css": "text" },
  external: ["./katex.js"],
});
const formulas = await bundle("katex.js", "katex", "iife");
const diagrams = await bundle("mermaid.js", "mermaid", "iife", {
  alias: { katex: join(folder, "src/shared_katex.js") },
  plugins: [withoutParts],
});
const there = diagrams.find((path) => LEFT_OUT.test(path));
if (there) throw new Error(`${there} is there`);
for (const name of readdirSync(fonts)) {
  if (name.endsWith(".woff2")) cpSync(join(fonts, name), join(output, "fonts", name));
}

// The licences of all packages that are in the files: each asks for its text.
const names = [...page, ...formulas, ...diagrams]
  .map((path) => path.match(/node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules\/)/)?.[1])
  .filter(Boolean);
// @mermaid-js/parser is published with these in its own files.
const inside = ["chevrotain", ...["cst-dts-gen", "gast", "regexp-to-ast", "utils"].map((name) => `@chevrotain/${name}`)];
const texts = [...new Set([...names, ...inside])].sort().map((name) => {
  const place = join(folder, "node_modules", name);
  const { version, license } = JSON.parse(readFileSync(join(place, "package.json"), "utf8"));
  const files = existsSync(place) ? readdirSync(place).filter((file) => /^(licen[cs]e|copying)/i.test(file)).sort() : [];
  const text = files.map((file) => readFileSync(join(place, file), "utf8").trim()).join("\n\n");
  return `${name} ${version} (${license})\n\n${text}`;
});
writeFileSync(join(output, "LICENSES.txt"), `${texts.join(`\n\n${"-".repeat(80)}\n\n`)}\n`);
