import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"store-refused","description":"","frontmatter":{},"headers":[],"relativePath":"errors/store-refused.md","filePath":"errors/store-refused.md"}');
const _sfc_main = { name: "errors/store-refused.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="store-refused" tabindex="-1">store-refused <a class="header-anchor" href="#store-refused" aria-label="Permalink to &quot;store-refused&quot;">​</a></h1><p><strong>A store was reached, and said no.</strong></p><ul><li>Error <code>StoreRefusedError</code>, code <code>HUSTINGS_STORE_REFUSED</code></li></ul><h2 id="what-it-means" tabindex="-1">What it means <a class="header-anchor" href="#what-it-means" aria-label="Permalink to &quot;What it means&quot;">​</a></h2><p>PostgreSQL, Redis, Consul, DynamoDB or the Kubernetes API answered and refused: a missing table, a missing right, a wrong password. Nothing was changed. The elector asks again, and reports <a href="./denied.html">denied</a> with the store&#39;s own words.</p><h2 id="what-to-do" tabindex="-1">What to do <a class="header-anchor" href="#what-to-do" aria-label="Permalink to &quot;What to do&quot;">​</a></h2><ul><li>See <a href="./denied.html">denied</a>.</li></ul></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("errors/store-refused.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const storeRefused = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  storeRefused as default
};
