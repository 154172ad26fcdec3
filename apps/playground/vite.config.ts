import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';
import { guests } from './tools/guests.mjs';

export default defineConfig({
  // Static files that open from any folder of any web server.
  base: './',
  plugins: [svelte(), guests()],
  resolve: { conditions: ['@hustings/source', 'browser', 'module', 'import', 'default'] },
  build: { target: 'es2022', modulePreload: { polyfill: false } },
  server: { port: 4173, strictPort: false },
  preview: { port: 4173, strictPort: false },
});
