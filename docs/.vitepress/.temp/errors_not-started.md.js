import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"not-started","description":"","frontmatter":{},"headers":[],"relativePath":"errors/not-started.md","filePath":"errors/not-started.md"}');
const _sfc_main = { name: "errors/not-started.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="not-started" tabindex="-1">not-started <a class="header-anchor" href="#not-started" aria-label="Permalink to &quot;not-started&quot;">​</a></h1><p><strong>An elector was used before <code>start()</code> had resolved.</strong></p><ul><li>Error <code>NotStartedError</code>, code <code>HUSTINGS_NOT_STARTED</code></li></ul><h2 id="what-it-means" tabindex="-1">What it means <a class="header-anchor" href="#what-it-means" aria-label="Permalink to &quot;What it means&quot;">​</a></h2><p><code>campaign()</code>, <code>resign()</code> and <code>observe()</code> need an elector that has joined the others.</p><h2 id="what-to-do" tabindex="-1">What to do <a class="header-anchor" href="#what-to-do" aria-label="Permalink to &quot;What to do&quot;">​</a></h2><ul><li><code>await elector.start()</code> first. <code>lead()</code> does it for you.</li></ul></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("errors/not-started.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const notStarted = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  notStarted as default
};
