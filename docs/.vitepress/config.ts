import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';
import { figures } from './figures.js';
import { sidebars } from './navigation.js';
import { repositoryLinks } from './repository-links.js';
import { units } from './units.js';

const docs = fileURLToPath(new URL('..', import.meta.url));

// Of a site in a folder of its server, such as '/hustings/'.
const { HUSTINGS_DOCS_BASE: base = '/' } = process.env;

/** In the page itself, so that no browser asks for a file that is not there. */
const icon = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#b85400"/><path d="M4 3h2.5v3.8h3V3H12v10H9.5V9.2h-3V13H4z" fill="#fff"/></svg>',
)}`;

/** The packages' sources, so that the site is built without building them. */
const conditions = ['@hustings/source'];

export default defineConfig({
  title: 'Hustings',
  description:
    'Leader election for TypeScript: one leader, and a fencing token that keeps a stale one from doing damage.',
  lang: 'en',
  base,
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: icon }]],
  srcExclude: ['data/**', 'public/**', 'test/**'],
  cleanUrls: false,
  markdown: {
    // The default themes have too little contrast for comments and keywords.
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    config: (markdown) => {
      markdown.use(figures);
      markdown.use(repositoryLinks, docs);
      markdown.use(units);
    },
  },
  themeConfig: {
    search: {
      provider: 'local',
      options: {
        // Pages before the API reference, and in that the front door before the packages behind it.
        miniSearch: {
          searchOptions: {
            boostDocument: (id) => (/\/api\/hustings\//.test(id) ? 0.8 : /\/api\//.test(id) ? 0.4 : 1),
          },
        },
      },
    },
    outline: { level: [2, 3] },
    nav: [
      { text: 'Start here', link: '/start/' },
      { text: 'Choosing', link: '/choosing' },
      { text: 'Operating', link: '/operating/' },
      { text: 'Errors', link: '/errors/' },
      { text: 'API', link: '/api/' },
      { text: 'Playground', link: '/playground/index.html', target: '_self' },
    ],
    sidebar: sidebars,
  },
  vite: {
    resolve: { conditions },
    ssr: { noExternal: [/^@hustings\//, 'hustings'], resolve: { conditions } },
  },
});
