import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"peer-connected","description":"","frontmatter":{},"headers":[],"relativePath":"errors/peer-connected.md","filePath":"errors/peer-connected.md"}');
const _sfc_main = { name: "errors/peer-connected.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="peer-connected" tabindex="-1">peer-connected <a class="header-anchor" href="#peer-connected" aria-label="Permalink to &quot;peer-connected&quot;">​</a></h1><p><strong>Another node that was missing can be reached again.</strong></p><ul><li>Diagnostic, level info</li></ul><h2 id="what-it-means" tabindex="-1">What it means <a class="header-anchor" href="#what-it-means" aria-label="Permalink to &quot;What it means&quot;">​</a></h2><p>It follows a <a href="./peer-unreachable.html">peer-unreachable</a>.</p><h2 id="what-to-do" tabindex="-1">What to do <a class="header-anchor" href="#what-to-do" aria-label="Permalink to &quot;What to do&quot;">​</a></h2><ul><li>Nothing.</li></ul></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("errors/peer-connected.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const peerConnected = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  peerConnected as default
};
