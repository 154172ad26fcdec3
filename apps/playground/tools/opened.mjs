// The built page behind vite's server of static files, in Debian's Chromium with nothing that would call home.

import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright';
import { preview } from 'vite';

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export async function openPlayground() {
  const server = await preview({
    root: fileURLToPath(new URL('..', import.meta.url)),
    preview: { host: '127.0.0.1', port: 4300, strictPort: false },
    logLevel: 'error',
  });
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: flags });
  return {
    url: server.resolvedUrls.local[0],
    browser,
    async close() {
      await browser.close();
      await server.close();
    },
  };
}
