import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"slow-round-trips","description":"","frontmatter":{},"headers":[],"relativePath":"errors/slow-round-trips.md","filePath":"errors/slow-round-trips.md"}');
const _sfc_main = { name: "errors/slow-round-trips.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="slow-round-trips" tabindex="-1">slow-round-trips <a class="header-anchor" href="#slow-round-trips" aria-label="Permalink to &quot;slow-round-trips&quot;">​</a></h1><p><strong>A renewal takes more than half of the time that it may take.</strong></p><ul><li>Diagnostic, level warn</li></ul><h2 id="what-it-means" tabindex="-1">What it means <a class="header-anchor" href="#what-it-means" aria-label="Permalink to &quot;What it means&quot;">​</a></h2><p>The leader still leads. If round trips get a little longer, it will lose its office without anything being broken.</p><h2 id="what-to-do" tabindex="-1">What to do <a class="header-anchor" href="#what-to-do" aria-label="Permalink to &quot;What to do&quot;">​</a></h2><ul><li>Is the server, or the disk of the nodes, overloaded? etcd and Raft wait for <code>fsync</code>.</li><li>Are the nodes far apart? Use <code>timings: &#39;wan&#39;</code>: see <a href="./../operating/wan.html">timeouts on a WAN</a>.</li><li>The message says which setting to change.</li></ul><h2 id="see-also" tabindex="-1">See also <a class="header-anchor" href="#see-also" aria-label="Permalink to &quot;See also&quot;">​</a></h2><p><a href="./lease-expired.html">lease-expired</a></p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("errors/slow-round-trips.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const slowRoundTrips = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  slowRoundTrips as default
};
