import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"listen-failed","description":"","frontmatter":{},"headers":[],"relativePath":"errors/listen-failed.md","filePath":"errors/listen-failed.md"}');
const _sfc_main = { name: "errors/listen-failed.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="listen-failed" tabindex="-1">listen-failed <a class="header-anchor" href="#listen-failed" aria-label="Permalink to &quot;listen-failed&quot;">​</a></h1><p><strong>The node cannot listen where it was told to.</strong></p><ul><li>Error <code>ListenFailedError</code>, code <code>HUSTINGS_LISTEN_FAILED</code></li></ul><h2 id="what-it-means" tabindex="-1">What it means <a class="header-anchor" href="#what-it-means" aria-label="Permalink to &quot;What it means&quot;">​</a></h2><p>The port in <code>listen</code> is taken by another process, or the address does not belong to this machine.</p><h2 id="what-to-do" tabindex="-1">What to do <a class="header-anchor" href="#what-to-do" aria-label="Permalink to &quot;What to do&quot;">​</a></h2><ul><li>Find who has the port: <code>ss -ltnp &#39;sport = :7000&#39;</code>.</li><li>In a container, listen on <code>0.0.0.0</code> or on a port alone, not on the address of the host.</li><li>After a crash the port is free at once. If it is not, an old process still runs.</li></ul></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("errors/listen-failed.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const listenFailed = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  listenFailed as default
};
