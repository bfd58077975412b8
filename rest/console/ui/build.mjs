// Bundles the page into the directory named by the first argument, by default the one that package console embeds.
// The same lock file gives the same bytes. What only some views need, such as the editor, is in files of its own.
import { build } from 'esbuild';
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The policy for content forbids style elements and style attributes, which xterm writes. Both have a way that it allows. */
const stylesOfTerminal = {
  name: 'styles of the terminal',
  setup(build) {
    build.onLoad({ filter: /@xterm\/xterm\/lib\/xterm\.mjs$/ }, async ({ path }) => {
      let contents = await readFile(path, 'utf8');
      const replace = (pattern, by, times) => {
        if (contents.match(pattern)?.length !== times) throw new Error(`${path} does not have ${pattern} ${times} times`);
        contents = contents.replace(pattern, by);
      };
      replace(/createElement\("style"\)/g, 'createElement("style-sheet")', 3);
      replace(/\b(\w+)\.setAttribute\("style",(`[^`]*`)\)/g, '($1.style.cssText=$2)', 1);
      return { contents, loader: 'js' };
    });
  },
};

const out = process.argv[2] ?? '../static';
await rm(out, { recursive: true, force: true });
await mkdir(out, { recursive: true });
const { metafile } = await build({
  entryPoints: { app: 'src/main.tsx', style: 'src/style.css' },
  outdir: out,
  bundle: true,
  splitting: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  legalComments: 'none',
  charset: 'utf8',
  metafile: true,
  logLevel: 'warning',
  plugins: [stylesOfTerminal],
});
for (const file of ['index.html', 'icon.svg']) await copyFile(join('src', file), join(out, file));

const packages = Object.keys(metafile.inputs).map((path) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1]);
const texts = [];
for (const name of [...new Set(packages)].filter(Boolean).sort()) {
  const folder = join('node_modules', name);
  const { version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const file = (await readdir(folder)).find((f) => /^licen[cs]e/i.test(f));
  texts.push(`The page contains ${name} ${version} (${license}):\n\n${(await readFile(join(folder, file), 'utf8')).trim()}\n`);
}
await writeFile(join(out, 'LICENSES.txt'), texts.join(`\n${'-'.repeat(80)}\n\n`));
