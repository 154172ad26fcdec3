import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"peer-uncertifiable","description":"","frontmatter":{},"headers":[],"relativePath":"errors/peer-uncertifiable.md","filePath":"errors/peer-uncertifiable.md"}');
const _sfc_main = { name: "errors/peer-uncertifiable.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="peer-uncertifiable" tabindex="-1">peer-uncertifiable <a class="header-anchor" href="#peer-uncertifiable" aria-label="Permalink to &quot;peer-uncertifiable&quot;">​</a></h1><p><strong>If this peer dies, nothing will prove it: its lease has to run out.</strong></p><ul><li>Diagnostic, level warn</li></ul><h2 id="what-it-means" tabindex="-1">What it means <a class="header-anchor" href="#what-it-means" aria-label="Permalink to &quot;What it means&quot;">​</a></h2><p><code>deathCertificates</code> needs every node to be reached at the address and port of its own listener. Something stands between: a proxy, a virtual address, a published port of Docker, a service mesh. Elections work as without certificates.</p><h2 id="what-to-do" tabindex="-1">What to do <a class="header-anchor" href="#what-to-do" aria-label="Permalink to &quot;What to do&quot;">​</a></h2><ul><li>Give the node&#39;s own address in <code>peers</code>. In Kubernetes, use the names of pods of a headless Service, not a Service with an address of its own.</li><li>If that is not possible, leave <code>deathCertificates</code> out.</li></ul><h2 id="see-also" tabindex="-1">See also <a class="header-anchor" href="#see-also" aria-label="Permalink to &quot;See also&quot;">​</a></h2><p><a href="./../chapters/11-fast-failover.html">Fast failover</a></p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("errors/peer-uncertifiable.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const peerUncertifiable = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  peerUncertifiable as default
};
