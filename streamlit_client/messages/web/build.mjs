// Builds dist/ from src/ and from the packages that package-lock.json names: npm ci && npm run build
import { build } from "esbuild";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const folder = dirname(fileURLToPath(import.meta.url));
const output = process.argv[2] ?? join(folder, "dist");
const fonts = join(folder, "node_modules/katex/dist/fonts");

rmSync(output, { recursive: true, force: true });
mkdirSync(join(output, "fonts"), { recursive: true });
const common = { bundle: true, minify: true, target: "es2022", charset: "utf8", legalComments: "none", metafile: true };
const page = await build({
  ...common,
  entryPoints: [{ in: join(folder, "src/main.js"), out: "messages" }],
  outdir: output,
  format: "esm",
  loader: { ".css": "text" },
});
// The library for the layout ELK would be a third of the file. A diagram that asks for it is drawn by dagre then.
const withoutElk = {
  name: "without-elk",
  setup: ({ onLoad }) =>
    onLoad({ filter: /mermaid\.core\/chunk-\w+\.mjs$/ }, ({ path }) => ({
      contents: readFileSync(path, "utf8")
        .replace("...elkLayoutLoaders()", "")
        .replace(/await import\("\.\/elk-\w+\.mjs"\)/, "undefined"),
    })),
};
const diagrams = await build({
  ...common,
  entryPoints: [{ in: join(folder, "src/mermaid.js"), out: "mermaid" }],
  outdir: output,
  format: "iife",
  plugins: [withoutElk],
});
if (Object.keys(diagrams.metafile.inputs).some((path) => path.includes("elkjs"))) throw new Error("elkjs is there");
for (const name of readdirSync(fonts)) {
  if (name.endsWith(".woff2")) cpSync(join(fonts, name), join(output, "fonts", name));
}

// The licences of all packages that are in the files: each asks for its text.
const names = [page, diagrams]
  .flatMap(({ metafile }) => Object.keys(metafile.inputs))
  .map((path) => path.match(/node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules\/)/)?.[1])
  .filter(Boolean);
const texts = [...new Set(names)].sort().map((name) => {
  const place = join(folder, "node_modules", name);
  const { version, license } = JSON.parse(readFileSync(join(place, "package.json"), "utf8"));
  const files = existsSync(place) ? readdirSync(place).filter((file) => /^(licen[cs]e|copying)/i.test(file)).sort() : [];
  const text = files.map((file) => readFileSync(join(place, file), "utf8").trim()).join("\n\n");
  return `${name} ${version} (${license})\n\n${text}`;
});
writeFileSync(join(output, "LICENSES.txt"), `${texts.join(`\n\n${"-".repeat(80)}\n\n`)}\n`);
