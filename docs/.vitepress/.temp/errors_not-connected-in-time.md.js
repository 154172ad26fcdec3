import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"not-connected-in-time","description":"","frontmatter":{},"headers":[],"relativePath":"errors/not-connected-in-time.md","filePath":"errors/not-connected-in-time.md"}');
const _sfc_main = { name: "errors/not-connected-in-time.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="not-connected-in-time" tabindex="-1">not-connected-in-time <a class="header-anchor" href="#not-connected-in-time" aria-label="Permalink to &quot;not-connected-in-time&quot;">​</a></h1><p><strong><code>start()</code> has waited for the server for <code>connectTimeoutMs</code>, and resolves without it.</strong></p><ul><li>Diagnostic, level warn</li></ul><h2 id="what-it-means" tabindex="-1">What it means <a class="header-anchor" href="#what-it-means" aria-label="Permalink to &quot;What it means&quot;">​</a></h2><p>The node is not lost: it goes on trying, and takes part as soon as the server answers. Until then it follows nobody.</p><h2 id="what-to-do" tabindex="-1">What to do <a class="header-anchor" href="#what-to-do" aria-label="Permalink to &quot;What to do&quot;">​</a></h2><ul><li>See <a href="./unreachable.html">unreachable</a>, which usually stands before it.</li><li>Raise <code>connectTimeoutMs</code> if the server starts together with your process and is merely slower.</li></ul></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("errors/not-connected-in-time.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const notConnectedInTime = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  notConnectedInTime as default
};
