import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"peer-unreachable","description":"","frontmatter":{},"headers":[],"relativePath":"errors/peer-unreachable.md","filePath":"errors/peer-unreachable.md"}');
const _sfc_main = { name: "errors/peer-unreachable.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="peer-unreachable" tabindex="-1">peer-unreachable <a class="header-anchor" href="#peer-unreachable" aria-label="Permalink to &quot;peer-unreachable&quot;">​</a></h1><p><strong>This node cannot reach another node.</strong></p><ul><li>Diagnostic, level warn</li></ul><h2 id="what-it-means" tabindex="-1">What it means <a class="header-anchor" href="#what-it-means" aria-label="Permalink to &quot;What it means&quot;">​</a></h2><p>The other process is down, or the network between them is. With Raft, the election goes on as long as a majority of the nodes reach each other.</p><h2 id="what-to-do" tabindex="-1">What to do <a class="header-anchor" href="#what-to-do" aria-label="Permalink to &quot;What to do&quot;">​</a></h2><ul><li>Is the other process running, and does it listen where <code>peers</code> says? Try <code>nc -vz HOST PORT</code> from this machine.</li><li>In Kubernetes, use a headless Service and the stable names of a StatefulSet: see <a href="./../operating/kubernetes.html">Kubernetes</a>.</li><li>One missing node of three is an alert for tomorrow. Two are an outage.</li></ul><h2 id="see-also" tabindex="-1">See also <a class="header-anchor" href="#see-also" aria-label="Permalink to &quot;See also&quot;">​</a></h2><p><a href="./quorum-lost.html">quorum-lost</a></p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("errors/peer-unreachable.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const peerUnreachable = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  peerUnreachable as default
};
