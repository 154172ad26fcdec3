import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Decisions","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/index.md","filePath":"decisions/index.md"}');
const _sfc_main = { name: "decisions/index.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="decisions" tabindex="-1">Decisions <a class="header-anchor" href="#decisions" aria-label="Permalink to &quot;Decisions&quot;">​</a></h1><p>What is not obvious, and why it is so. The list is in the navigation of the site, or in <a href="https://github.com/hustings/hustings/tree/main/docs/decisions" target="_blank" rel="noreferrer">this folder</a>. Each page is as it was when it was decided; a later one may replace it, and says so.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("decisions/index.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const index = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  index as default
};
