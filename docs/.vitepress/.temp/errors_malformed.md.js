import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"malformed","description":"","frontmatter":{},"headers":[],"relativePath":"errors/malformed.md","filePath":"errors/malformed.md"}');
const _sfc_main = { name: "errors/malformed.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="malformed" tabindex="-1">malformed <a class="header-anchor" href="#malformed" aria-label="Permalink to &quot;malformed&quot;">​</a></h1><p><strong>Bytes from outside are not what they should be.</strong></p><ul><li>Error <code>MalformedError</code>, code <code>HUSTINGS_MALFORMED</code></li></ul><h2 id="what-it-means" tabindex="-1">What it means <a class="header-anchor" href="#what-it-means" aria-label="Permalink to &quot;What it means&quot;">​</a></h2><p>A message from another node, or a stored state, could not be decoded. A bad message is dropped and the connection that brought it is closed; a bad state keeps the node from starting.</p><h2 id="what-to-do" tabindex="-1">What to do <a class="header-anchor" href="#what-to-do" aria-label="Permalink to &quot;What to do&quot;">​</a></h2><ul><li>Do all nodes run the same algorithm and compatible versions of Hustings? See <a href="./../operating/raft-cluster.html#upgrading">upgrading</a>.</li><li>If it is a stored state, see <a href="./storage-failed.html">storage-failed</a>: the file is damaged, or belongs to another algorithm.</li></ul></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("errors/malformed.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const malformed = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  malformed as default
};
