import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"message-lost","description":"","frontmatter":{},"headers":[],"relativePath":"errors/message-lost.md","filePath":"errors/message-lost.md"}');
const _sfc_main = { name: "errors/message-lost.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="message-lost" tabindex="-1">message-lost <a class="header-anchor" href="#message-lost" aria-label="Permalink to &quot;message-lost&quot;">​</a></h1><p><strong>A message between nodes could not be sent or handled. This is a bug.</strong></p><ul><li>Diagnostic, level warn</li></ul><h2 id="what-it-means" tabindex="-1">What it means <a class="header-anchor" href="#what-it-means" aria-label="Permalink to &quot;What it means&quot;">​</a></h2><p>The algorithms survive lost messages, so the election goes on. But this one was lost for a reason that should not exist: it was not plain data, was larger than the others accept, or a handler threw.</p><h2 id="what-to-do" tabindex="-1">What to do <a class="header-anchor" href="#what-to-do" aria-label="Permalink to &quot;What to do&quot;">​</a></h2><ul><li>If you store large entries in Raft&#39;s log, keep them below 64 kB.</li><li>Otherwise please report it, with the line from the log.</li></ul></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("errors/message-lost.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const messageLost = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  messageLost as default
};
