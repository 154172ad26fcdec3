import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"protocol-failed","description":"","frontmatter":{},"headers":[],"relativePath":"errors/protocol-failed.md","filePath":"errors/protocol-failed.md"}');
const _sfc_main = { name: "errors/protocol-failed.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="protocol-failed" tabindex="-1">protocol-failed <a class="header-anchor" href="#protocol-failed" aria-label="Permalink to &quot;protocol-failed&quot;">​</a></h1><p><strong>The algorithm broke its own contract. This is a bug; the node has left the election.</strong></p><ul><li>Diagnostic, level error</li></ul><h2 id="what-it-means" tabindex="-1">What it means <a class="header-anchor" href="#what-it-means" aria-label="Permalink to &quot;What it means&quot;">​</a></h2><p>The runtime checks every step of the algorithm. One was not allowed, or threw. The node stops leading and leaves, so that it can do no harm. The others go on.</p><h2 id="what-to-do" tabindex="-1">What to do <a class="header-anchor" href="#what-to-do" aria-label="Permalink to &quot;What to do&quot;">​</a></h2><ol><li>Restart the process.</li><li>Please report it with the whole line from the log: the invariants are tested with millions of random runs, so this is news.</li></ol></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("errors/protocol-failed.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const protocolFailed = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  protocolFailed as default
};
