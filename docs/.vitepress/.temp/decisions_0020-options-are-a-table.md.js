import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"20. Options are a table","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0020-options-are-a-table.md","filePath":"decisions/0020-options-are-a-table.md"}');
const _sfc_main = { name: "decisions/0020-options-are-a-table.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_20-options-are-a-table" tabindex="-1">20. Options are a table <a class="header-anchor" href="#_20-options-are-a-table" aria-label="Permalink to &quot;20. Options are a table&quot;">​</a></h1><p><strong>Decision.</strong> Options are checked at run time by a table in <code>@hustings/elector/options</code>: a rule for each option, and one function that reads them. No schema library.</p><p><strong>Why.</strong> The checks must live in the package that everything else depends on, and that a browser loads: the algorithms use them, too. zod adds 60 kB, valibot 2 to 10, and either would be the first dependency of the contract. What we need is little: types and ranges of some sixty flat options, the nearest name for a misspelt one, <code>undefined</code> for the default, and a sentence that says what to do. Libraries have the first, leave the second and third to plugins, and their messages are for developers of forms. The table is 200 lines, and a new elector adds a line for each of its options.</p><p><strong>What it costs.</strong> The types and the table are written twice, side by side. A test calls every elector with each kind of mistake, so an option that is in one and not in the other is noticed.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("decisions/0020-options-are-a-table.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0020OptionsAreATable = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0020OptionsAreATable as default
};
