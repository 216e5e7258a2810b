import { readFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';

// The script that sets the theme must block the first paint, so it is no
// module; this gives it a hashed name like everything else.
function earlyTheme(): Plugin {
  const source = readFileSync(new URL('./src/theme.js', import.meta.url), 'utf8');
  const hash = createHash('sha256').update(source).digest('hex').slice(0, 8);
  const name = `assets/theme-${hash}.js`;
  return {
    name: 'early-theme',
    configureServer(server) {
      server.middlewares.use('/theme.js', (_, response) => {
        response.setHeader('Content-Type', 'text/javascript').end(source);
      });
    },
    generateBundle() {
      this.emitFile({ type: 'asset', fileName: name, source });
    },
    transformIndexHtml: {
      order: 'post',
      handler: (html, context) => (context.server ? html : html.replace('/theme.js', `/${name}`)),
    },
  };
}

const hashOf = (content: string | Uint8Array) =>
  createHash('sha256').update(content).digest('hex').slice(0, 8);

// The manifest with its icons, and the service worker with the list of all files. The worker has a fixed name, because
// browsers look for a new one under the same address.
function installable(): Plugin {
  const icons: [file: string, size: string, purpose: string][] = [
    ['icon-192', '192x192', 'any'],
    ['icon-512', '512x512', 'any'],
    ['icon-maskable', '512x512', 'maskable'],
  ];
  let manifest = '';
  return {
    name: 'installable',
    apply: 'build',
    generateBundle: {
      order: 'post',
      handler(_, bundle) {
        const worker = readFileSync(new URL('./src/sw.js', import.meta.url), 'utf8');
        const files = Object.keys(bundle)
          .filter((file) => file.startsWith('assets/') && !file.endsWith('.txt'))
          .map((file) => `/${file}`)
          .sort();
        const list = `const files = ${JSON.stringify(files)};\n`;
        const source = `const version = '${hashOf(list + worker)}';\n${list}${worker}`;
        this.emitFile({ type: 'asset', fileName: 'sw.js', source });
      },
    },
    buildStart() {
      const listed = icons.map(([file, sizes, purpose]) => {
        const source = readFileSync(new URL(`./src/icons/${file}.png`, import.meta.url));
        const fileName = `assets/${file}-${hashOf(source)}.png`;
        this.emitFile({ type: 'asset', fileName, source });
        return { src: `/${fileName}`, sizes, type: 'image/png', purpose };
      });
      const source = JSON.stringify({
        id: '/',
        name: 'Fillbook',
        short_name: 'Fillbook',
        description: 'Trading journal',
        start_url: '/',
        scope: '/',
        display: 'standalone',
        background_color: '#f3f5f4',
        theme_color: '#0f766e',
        icons: listed,
      });
      manifest = `assets/manifest-${hashOf(source)}.webmanifest`;
      this.emitFile({ type: 'asset', fileName: manifest, source });
    },
    transformIndexHtml: () => [
      { tag: 'link', attrs: { rel: 'manifest', href: `/${manifest}` }, injectTo: 'head' },
    ],
  };
}

/** Reports whether a file imports the module, directly or through others. */
function isImportedBy(module: string, file: string, importersOf: (id: string) => readonly string[]): boolean {
  const seen = new Set([module]);
  for (const id of seen) {
    if (id.endsWith(file)) return true;
    for (const importer of importersOf(id)) seen.add(importer);
  }
  return false;
}

// Every screen is a Screen.svelte; its folder tells them apart.
function nameOf(module: string | null | undefined): string | undefined {
  return module?.match(/\/screens\/(\w+)\/Screen\.svelte$/)?.[1];
}

export default defineConfig({
  plugins: [earlyTheme(), installable(), svelte()],
  resolve: process.env.VITEST ? { conditions: ['browser'] } : {},
  build: {
    outDir: process.env.FILLBOOK_PAGE ?? '../internal/webui/page',
    emptyOutDir: true,
    target: 'es2022',
    cssTarget: ['chrome123', 'firefox121', 'safari17.5'], // these know light-dark()
    assetsInlineLimit: 0, // the page's policy has no use for data: scripts
    modulePreload: { polyfill: false },
    reportCompressedSize: true,
    rolldownOptions: {
      checks: { ineffectiveDynamicImport: false }, // Today is a route and part of the first file
      output: {
        entryFileNames: 'assets/[name]-[hash].js',
        chunkFileNames: (chunk) => `assets/${nameOf(chunk.facadeModuleId) ?? '[name]'}-[hash].js`,
        assetFileNames: 'assets/[name]-[hash][extname]',
        // Few files: what three or more screens share is one file, and what the first screen needs of it another.
        // Large modules stay alone.
        codeSplitting: {
          groups: [
            { name: 'base', tags: ['$initial'], priority: 2 },
            {
              debugName: 'shared',
              name: (id, graph) =>
                isImportedBy(
                  id,
                  'screens/today/Screen.svelte',
                  (m) => graph.getModuleInfo(m)?.importers ?? [],
                )
                  ? 'base'
                  : 'shared',
              minShareCount: 3,
              maxModuleSize: 8_000,
              priority: 1,
            },
          ],
        },
      },
    },
  },
  server: {
    proxy: { '/api': process.env.FILLBOOK_URL ?? 'http://127.0.0.1:8080' },
  },
  test: {
    // Creating a DOM takes longer than most tests; a file that needs one asks for it.
    environment: 'node',
    include: ['tests/unit/**/*.test.ts'],
    // A new realm for each file would load all modules again.
    pool: 'threads',
    isolate: false,
  },
});
