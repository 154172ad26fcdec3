import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"resigned","description":"","frontmatter":{},"headers":[],"relativePath":"errors/resigned.md","filePath":"errors/resigned.md"}');
const _sfc_main = { name: "errors/resigned.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="resigned" tabindex="-1">resigned <a class="header-anchor" href="#resigned" aria-label="Permalink to &quot;resigned&quot;">​</a></h1><p><strong>The leader gave up its office because it was asked to.</strong></p><ul><li>Reason: why a leader stopped leading</li></ul><h2 id="what-it-means" tabindex="-1">What it means <a class="header-anchor" href="#what-it-means" aria-label="Permalink to &quot;What it means&quot;">​</a></h2><p><code>resign()</code> was called, <code>lead()</code> was aborted, or <code>hustings run</code> or <code>sidecar</code> received SIGTERM. The next leader takes over at once: nobody has to wait for a lease to run out.</p><h2 id="what-to-do" tabindex="-1">What to do <a class="header-anchor" href="#what-to-do" aria-label="Permalink to &quot;What to do&quot;">​</a></h2><ul><li>Nothing: this is the normal end of a leadership, at every deployment.</li></ul><h2 id="see-also" tabindex="-1">See also <a class="header-anchor" href="#see-also" aria-label="Permalink to &quot;See also&quot;">​</a></h2><p><a href="./../operating/shutdown.html">Shutting down</a>, <a href="./../chapters/10-hand-over.html">Graceful hand-over</a></p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("errors/resigned.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const resigned = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  resigned as default
};
