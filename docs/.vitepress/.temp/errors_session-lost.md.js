import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"session-lost","description":"","frontmatter":{},"headers":[],"relativePath":"errors/session-lost.md","filePath":"errors/session-lost.md"}');
const _sfc_main = { name: "errors/session-lost.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="session-lost" tabindex="-1">session-lost <a class="header-anchor" href="#session-lost" aria-label="Permalink to &quot;session-lost&quot;">​</a></h1><p><strong>The server has ended the session or the lease of this leader.</strong></p><ul><li>Reason: why a leader stopped leading</li></ul><h2 id="what-it-means" tabindex="-1">What it means <a class="header-anchor" href="#what-it-means" aria-label="Permalink to &quot;What it means&quot;">​</a></h2><p>etcd revoked the lease, ZooKeeper expired the session, or a store says that the lease is no longer held. The leader stopped as soon as it heard; with clocks within their bound it had stopped by its own clock before.</p><h2 id="what-to-do" tabindex="-1">What to do <a class="header-anchor" href="#what-to-do" aria-label="Permalink to &quot;What to do&quot;">​</a></h2><ul><li>After a restart of the server, or of the database with <code>mode: &#39;session&#39;</code>: expected.</li><li>If it happens while the server is well, the renewals came too late: read <a href="./lease-expired.html">lease-expired</a>.</li><li>An operator, a proxy or a clean-up job may have ended the session.</li></ul></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("errors/session-lost.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const sessionLost = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  sessionLost as default
};
