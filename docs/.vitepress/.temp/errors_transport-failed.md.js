import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"transport-failed","description":"","frontmatter":{},"headers":[],"relativePath":"errors/transport-failed.md","filePath":"errors/transport-failed.md"}');
const _sfc_main = { name: "errors/transport-failed.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="transport-failed" tabindex="-1">transport-failed <a class="header-anchor" href="#transport-failed" aria-label="Permalink to &quot;transport-failed&quot;">​</a></h1><p><strong>The transport did not start, or did not close. This node is not in the election.</strong></p><ul><li>Diagnostic, level error</li></ul><h2 id="what-it-means" tabindex="-1">What it means <a class="header-anchor" href="#what-it-means" aria-label="Permalink to &quot;What it means&quot;">​</a></h2><p>Usually the port is taken: then <code>start()</code> rejects with <a href="./listen-failed.html">listen-failed</a> as well.</p><h2 id="what-to-do" tabindex="-1">What to do <a class="header-anchor" href="#what-to-do" aria-label="Permalink to &quot;What to do&quot;">​</a></h2><ul><li>Mend what the message names, and start the process again.</li></ul></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("errors/transport-failed.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const transportFailed = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  transportFailed as default
};
