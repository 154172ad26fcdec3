import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"transfer-unsupported","description":"","frontmatter":{},"headers":[],"relativePath":"errors/transfer-unsupported.md","filePath":"errors/transfer-unsupported.md"}');
const _sfc_main = { name: "errors/transfer-unsupported.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="transfer-unsupported" tabindex="-1">transfer-unsupported <a class="header-anchor" href="#transfer-unsupported" aria-label="Permalink to &quot;transfer-unsupported&quot;">​</a></h1><p><strong><code>resign({ to })</code> was called on an elector that cannot choose its successor.</strong></p><ul><li>Error <code>TransferUnsupportedError</code>, code <code>HUSTINGS_TRANSFER_UNSUPPORTED</code></li></ul><h2 id="what-it-means" tabindex="-1">What it means <a class="header-anchor" href="#what-it-means" aria-label="Permalink to &quot;What it means&quot;">​</a></h2><p>Only electors that declare <code>targetedTransfer</code> in <code>elector.guarantees</code> can hand the office to a named node. Raft can. With etcd and ZooKeeper the next in the queue leads, with stores whoever asks first.</p><h2 id="what-to-do" tabindex="-1">What to do <a class="header-anchor" href="#what-to-do" aria-label="Permalink to &quot;What to do&quot;">​</a></h2><ul><li>Call <code>resign()</code> without <code>to</code>.</li><li>Or check <code>elector.guarantees.targetedTransfer</code> first.</li></ul><h2 id="see-also" tabindex="-1">See also <a class="header-anchor" href="#see-also" aria-label="Permalink to &quot;See also&quot;">​</a></h2><p><a href="./../chapters/10-hand-over.html">Graceful hand-over</a></p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("errors/transfer-unsupported.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const transferUnsupported = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  transferUnsupported as default
};
