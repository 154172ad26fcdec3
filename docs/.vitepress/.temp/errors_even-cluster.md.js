import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"even-cluster","description":"","frontmatter":{},"headers":[],"relativePath":"errors/even-cluster.md","filePath":"errors/even-cluster.md"}');
const _sfc_main = { name: "errors/even-cluster.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="even-cluster" tabindex="-1">even-cluster <a class="header-anchor" href="#even-cluster" aria-label="Permalink to &quot;even-cluster&quot;">​</a></h1><p><strong>The number of Raft nodes is even.</strong></p><ul><li>Diagnostic, level warn</li></ul><h2 id="what-it-means" tabindex="-1">What it means <a class="header-anchor" href="#what-it-means" aria-label="Permalink to &quot;What it means&quot;">​</a></h2><p>Four nodes survive one failure, as three do: a majority of four is three. The fourth only adds one more that can fail.</p><h2 id="what-to-do" tabindex="-1">What to do <a class="header-anchor" href="#what-to-do" aria-label="Permalink to &quot;What to do&quot;">​</a></h2><ul><li>Run three, five or seven.</li></ul></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("errors/even-cluster.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const evenCluster = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  evenCluster as default
};
