import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"invalid-option","description":"","frontmatter":{},"headers":[],"relativePath":"errors/invalid-option.md","filePath":"errors/invalid-option.md"}');
const _sfc_main = { name: "errors/invalid-option.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="invalid-option" tabindex="-1">invalid-option <a class="header-anchor" href="#invalid-option" aria-label="Permalink to &quot;invalid-option&quot;">​</a></h1><p><strong>An option has a value that cannot work.</strong></p><ul><li>Error <code>InvalidOptionError</code>, code <code>HUSTINGS_INVALID_OPTION</code></li></ul><h2 id="what-it-means" tabindex="-1">What it means <a class="header-anchor" href="#what-it-means" aria-label="Permalink to &quot;What it means&quot;">​</a></h2><p>The message names the function, the option, what is wrong with it, and often what was meant. It is thrown before anything is started or written.</p><h2 id="what-to-do" tabindex="-1">What to do <a class="header-anchor" href="#what-to-do" aria-label="Permalink to &quot;What to do&quot;">​</a></h2><ul><li>Read the sentence, and change the option it names.</li><li>Values from the environment are texts: turn a port into a number.</li><li><code>undefined</code> is always allowed, and means the default.</li></ul><h2 id="see-also" tabindex="-1">See also <a class="header-anchor" href="#see-also" aria-label="Permalink to &quot;See also&quot;">​</a></h2><p><a href="https://github.com/hustings/hustings/blob/main/packages/hustings/README.md#options" target="_blank" rel="noreferrer">Options</a></p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("errors/invalid-option.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const invalidOption = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  invalidOption as default
};
