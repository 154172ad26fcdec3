import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"leads","description":"","frontmatter":{},"headers":[],"relativePath":"errors/leads.md","filePath":"errors/leads.md"}');
const _sfc_main = { name: "errors/leads.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="leads" tabindex="-1">leads <a class="header-anchor" href="#leads" aria-label="Permalink to &quot;leads&quot;">​</a></h1><p><strong>This node leads now.</strong></p><ul><li>Diagnostic, level info</li></ul><h2 id="what-it-means" tabindex="-1">What it means <a class="header-anchor" href="#what-it-means" aria-label="Permalink to &quot;What it means&quot;">​</a></h2><p>The message has the fencing token. Every later leader has a higher one, where the elector promises it.</p><h2 id="what-to-do" tabindex="-1">What to do <a class="header-anchor" href="#what-to-do" aria-label="Permalink to &quot;What to do&quot;">​</a></h2><ul><li>Nothing. Count these lines: more than a few a day without deployments means that leaders are lost needlessly.</li></ul><h2 id="see-also" tabindex="-1">See also <a class="header-anchor" href="#see-also" aria-label="Permalink to &quot;See also&quot;">​</a></h2><p><a href="./../operating/alerts.html">Alerts and metrics</a></p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("errors/leads.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const leads = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  leads as default
};
