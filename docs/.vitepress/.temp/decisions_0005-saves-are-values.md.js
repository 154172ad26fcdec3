import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"5. A save is a value; the storage finds the difference","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0005-saves-are-values.md","filePath":"decisions/0005-saves-are-values.md"}');
const _sfc_main = { name: "decisions/0005-saves-are-values.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_5-a-save-is-a-value-the-storage-finds-the-difference" tabindex="-1">5. A save is a value; the storage finds the difference <a class="header-anchor" href="#_5-a-save-is-a-value-the-storage-finds-the-difference" aria-label="Permalink to &quot;5. A save is a value; the storage finds the difference&quot;">​</a></h1><p><strong>Decision.</strong> <code>save(durable)</code> carries the whole durable state, also for Raft with its log. Raft&#39;s storage compares it with what it wrote last and appends only what is new: a term, a vote, entries, a truncation.</p><p><strong>Why.</strong> A protocol that emitted differences would need every driver to fold them: the runtime, the simulator, the model checker. As a value the state is shared structure, costs a reference, and a restart in the simulator is exact by construction. Only the file on disk cares about the difference, so only its module knows how to find one.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("decisions/0005-saves-are-values.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0005SavesAreValues = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0005SavesAreValues as default
};
