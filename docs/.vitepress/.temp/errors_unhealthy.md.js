import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"unhealthy","description":"","frontmatter":{},"headers":[],"relativePath":"errors/unhealthy.md","filePath":"errors/unhealthy.md"}');
const _sfc_main = { name: "errors/unhealthy.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="unhealthy" tabindex="-1">unhealthy <a class="header-anchor" href="#unhealthy" aria-label="Permalink to &quot;unhealthy&quot;">​</a></h1><p><strong>The leader was told that its process is not fit to lead.</strong></p><ul><li>Reason: why a leader stopped leading</li></ul><h2 id="what-it-means" tabindex="-1">What it means <a class="header-anchor" href="#what-it-means" aria-label="Permalink to &quot;What it means&quot;">​</a></h2><p><code>elector.setHealthy(false)</code> was called. The node hands over, and does not stand until <code>setHealthy(true)</code>.</p><h2 id="what-to-do" tabindex="-1">What to do <a class="header-anchor" href="#what-to-do" aria-label="Permalink to &quot;What to do&quot;">​</a></h2><ul><li>Find out what your health check saw. The election only did what it was told.</li></ul><h2 id="see-also" tabindex="-1">See also <a class="header-anchor" href="#see-also" aria-label="Permalink to &quot;See also&quot;">​</a></h2><p><a href="./../chapters/10-hand-over.html">Graceful hand-over</a></p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("errors/unhealthy.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const unhealthy = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  unhealthy as default
};
