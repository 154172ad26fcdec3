import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"heirs-strained","description":"","frontmatter":{},"headers":[],"relativePath":"errors/heirs-strained.md","filePath":"errors/heirs-strained.md"}');
const _sfc_main = { name: "errors/heirs-strained.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="heirs-strained" tabindex="-1">heirs-strained <a class="header-anchor" href="#heirs-strained" aria-label="Permalink to &quot;heirs-strained&quot;">​</a></h1><p><strong>The leader and its heir nearly took each other for dead.</strong></p><ul><li>Diagnostic, level warn</li></ul><h2 id="what-it-means" tabindex="-1">What it means <a class="header-anchor" href="#what-it-means" aria-label="Permalink to &quot;What it means&quot;">​</a></h2><p>With <code>heirs</code>, the next in line takes over when a leader has been silent for the wait that was agreed on. An answer came after three quarters of that wait, or etcd took a fifth of it. If it gets a little slower, a healthy leader loses its office.</p><h2 id="what-to-do" tabindex="-1">What to do <a class="header-anchor" href="#what-to-do" aria-label="Permalink to &quot;What to do&quot;">​</a></h2><ul><li>Use <code>heirs: &#39;calm&#39;</code>, or a longer <code>heirWaitMs</code>: at least 1.25 times the longest stall, a round trip and the guard together, and at least five times what etcd takes at worst.</li><li>Look for <a href="./stalled.html">stalled</a> and <a href="./slow-round-trips.html">slow-round-trips</a> nearby.</li></ul><h2 id="see-also" tabindex="-1">See also <a class="header-anchor" href="#see-also" aria-label="Permalink to &quot;See also&quot;">​</a></h2><p><a href="./../chapters/11-fast-failover.html">Fast failover</a></p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("errors/heirs-strained.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const heirsStrained = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  heirsStrained as default
};
