import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"lost-leadership","description":"","frontmatter":{},"headers":[],"relativePath":"errors/lost-leadership.md","filePath":"errors/lost-leadership.md"}');
const _sfc_main = { name: "errors/lost-leadership.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="lost-leadership" tabindex="-1">lost-leadership <a class="header-anchor" href="#lost-leadership" aria-label="Permalink to &quot;lost-leadership&quot;">​</a></h1><p><strong>This node leads no more.</strong></p><ul><li>Diagnostic, level info where it was wanted, else warn</li></ul><h2 id="what-it-means" tabindex="-1">What it means <a class="header-anchor" href="#what-it-means" aria-label="Permalink to &quot;What it means&quot;">​</a></h2><p>The reason stands in brackets: <a href="./resigned.html">resigned</a>, <a href="./stopped.html">stopped</a>, <a href="./deposed.html">deposed</a>, <a href="./lease-expired.html">lease-expired</a>, <a href="./quorum-lost.html">quorum-lost</a>, <a href="./session-lost.html">session-lost</a>, <a href="./unhealthy.html">unhealthy</a> or <a href="./storage-failed.html">storage-failed</a>.</p><h2 id="what-to-do" tabindex="-1">What to do <a class="header-anchor" href="#what-to-do" aria-label="Permalink to &quot;What to do&quot;">​</a></h2><ul><li>Read the page of the reason.</li></ul></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("errors/lost-leadership.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const lostLeadership = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  lostLeadership as default
};
