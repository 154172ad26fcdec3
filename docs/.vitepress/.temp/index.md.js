import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Hustings","description":"","frontmatter":{},"headers":[],"relativePath":"index.md","filePath":"index.md"}');
const _sfc_main = { name: "index.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="hustings" tabindex="-1">Hustings <a class="header-anchor" href="#hustings" aria-label="Permalink to &quot;Hustings&quot;">​</a></h1><p>Leader election for TypeScript: exactly one of your processes does the work, and it carries a fencing token that keeps a stale leader from doing damage. The same algorithms run in production, in a simulator that breaks them, and in your browser.</p><table tabindex="0"><thead><tr><th>you want to</th><th>read</th></tr></thead><tbody><tr><td>elect a leader within five minutes</td><td><a href="./start/">Start here</a></td></tr><tr><td>know which elector to take</td><td><a href="./choosing.html">Choosing</a>, <a href="./comparison.html">The comparison</a></td></tr><tr><td>know how long a lease must be</td><td><a href="./ttl.html">TTL calculator</a></td></tr><tr><td>understand how election works</td><td><a href="./chapters/01-the-problem.html">The chapters</a>, in reading order</td></tr><tr><td>look something up about one elector</td><td><a href="./electors/">Electors</a></td></tr><tr><td>run it in production</td><td><a href="./operating/">Operating it</a></td></tr><tr><td>understand a word in your log</td><td><a href="./errors/">Errors and diagnostics</a></td></tr><tr><td>know what a word means here</td><td><a href="./glossary.html">Glossary</a></td></tr><tr><td>know why something is as it is</td><td><a href="./decisions/">Decisions</a></td></tr><tr><td>change something</td><td><a href="https://github.com/hustings/hustings/blob/main/CONTRIBUTING.md" target="_blank" rel="noreferrer">CONTRIBUTING.md</a></td></tr></tbody></table><h2 id="what-it-does-not-promise" tabindex="-1">What it does not promise <a class="header-anchor" href="#what-it-does-not-promise" aria-label="Permalink to &quot;What it does not promise&quot;">​</a></h2><p>A process that is paused may believe that it leads while another one does. No election can prevent that; a resource that checks the token can. <a href="./chapters/02-fencing.html">Chapter 2</a> explains it in five minutes.</p><h2 id="reading-offline" tabindex="-1">Reading offline <a class="header-anchor" href="#reading-offline" aria-label="Permalink to &quot;Reading offline&quot;">​</a></h2><p>These pages are Markdown and read well as they are. <code>npm run docs</code> makes a site of them, with search, the playground and the API reference, that needs no network. <code>npm run docs:dev</code> serves it while you write.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("index.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const index = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  index as default
};
