// Bundles the page into the directory named by the first argument, by default the one that package console embeds.
// The same lock file gives the same bytes.
import { build } from 'esbuild';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const out = process.argv[2] ?? '../static';
await mkdir(out, { recursive: true });
await build({
  entryPoints: { app: 'src/main.tsx', style: 'src/style.css' },
  outdir: out,
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  legalComments: 'none',
  charset: 'utf8',
  logLevel: 'warning',
});
for (const file of ['index.html', 'icon.svg']) await copyFile(join('src', file), join(out, file));
const { version, license } = JSON.parse(await readFile('node_modules/preact/package.json', 'utf8'));
const text = await readFile('node_modules/preact/LICENSE', 'utf8');
await writeFile(join(out, 'LICENSES.txt'), `app.js contains preact ${version} (${license}):\n\n${text}`);
