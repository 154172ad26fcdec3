import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"28. The documents are Markdown first, and a site second","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0028-documents-are-markdown-first.md","filePath":"decisions/0028-documents-are-markdown-first.md"}');
const _sfc_main = { name: "decisions/0028-documents-are-markdown-first.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_28-the-documents-are-markdown-first-and-a-site-second" tabindex="-1">28. The documents are Markdown first, and a site second <a class="header-anchor" href="#_28-the-documents-are-markdown-first-and-a-site-second" aria-label="Permalink to &quot;28. The documents are Markdown first, and a site second&quot;">​</a></h1><p>The documents are read in three places: on GitHub, in an editor without a network, and as a site. Most tools serve the last one and leave the others with includes, front matter and components that show as nothing. So the pages are plain Markdown with relative links, and everything that the site adds degrades to something:</p><ul><li><strong>A live figure</strong> is a picture with a comment before it. The site lets the run be opened in its place.</li><li><strong>The calculator and the questions</strong> are components; the page has the same as a table.</li><li><strong>Links to files of the repository</strong> are relative. The site turns those that are no page into links to the repository.</li><li><strong>Front matter is not used.</strong> Titles are first headings, and the order is in <code>.vitepress/navigation.ts</code>.</li></ul><p><strong>Tables with numbers are made, not typed.</strong> They stand in the pages between two comments. A test makes each page anew and compares; with vitest&#39;s <code>-u</code>, as for golden traces, it writes. There is no second generator to run or forget. The comparison keeps its own, for it is one long page of tables.</p><p><strong><code>help</code> is an address on GitHub</strong>, not of a site: it is the same for whoever runs the code today, and needs no server of ours. The word in it is the code or the type, so a site can be moved there later without changing a word.</p><p><strong>VitePress has a Vite of its own</strong>, 5, by a nested override: 1.6 asks for 5, and everything else uses 8. It costs 124 packages in <code>npm ci</code>, none of them at run time. We looked at a generator of our own: a hundred lines make HTML of Markdown, but search, navigation on a phone, dark mode and highlighting would have been another thousand that somebody else maintains better.</p><p>The chooser asks the calculator: an elector is refused for a failover that no lease of it can keep. So both are one function, which the electors themselves use for their slack (<code>packages/hustings/src/lease-kinds</code>).</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("decisions/0028-documents-are-markdown-first.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0028DocumentsAreMarkdownFirst = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0028DocumentsAreMarkdownFirst as default
};
