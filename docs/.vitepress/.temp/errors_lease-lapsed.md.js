import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"lease-lapsed","description":"","frontmatter":{},"headers":[],"relativePath":"errors/lease-lapsed.md","filePath":"errors/lease-lapsed.md"}');
const _sfc_main = { name: "errors/lease-lapsed.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="lease-lapsed" tabindex="-1">lease-lapsed <a class="header-anchor" href="#lease-lapsed" aria-label="Permalink to &quot;lease-lapsed&quot;">​</a></h1><p><strong>The lease ran out, and the Leadership was ended a little after its deadline.</strong></p><ul><li>Diagnostic, level warn</li></ul><h2 id="what-it-means" tabindex="-1">What it means <a class="header-anchor" href="#what-it-means" aria-label="Permalink to &quot;What it means&quot;">​</a></h2><p>The runtime noticed late, because the event loop was busy. <code>assertValid()</code> already threw in between. It always comes with a lost leadership: <a href="./lease-expired.html">lease-expired</a>.</p><h2 id="what-to-do" tabindex="-1">What to do <a class="header-anchor" href="#what-to-do" aria-label="Permalink to &quot;What to do&quot;">​</a></h2><ul><li>See <a href="./stalled.html">stalled</a>.</li></ul></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("errors/lease-lapsed.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const leaseLapsed = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  leaseLapsed as default
};
