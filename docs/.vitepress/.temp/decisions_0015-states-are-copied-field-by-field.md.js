import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"15. States are copied field by field","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0015-states-are-copied-field-by-field.md","filePath":"decisions/0015-states-are-copied-field-by-field.md"}');
const _sfc_main = { name: "decisions/0015-states-are-copied-field-by-field.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_15-states-are-copied-field-by-field" tabindex="-1">15. States are copied field by field <a class="header-anchor" href="#_15-states-are-copied-field-by-field" aria-label="Permalink to &quot;15. States are copied field by field&quot;">​</a></h1><p><strong>Decision.</strong> Where a rule changes a state of many fields, it says <code>change(state, { leaderId: null })</code>. <code>change</code> stands beside the state&#39;s type, spells every field out in one object literal, and lays the changes over it. Small objects that change at every message, such as what a Raft leader knows of a follower, are treated alike.</p><p><strong>Why.</strong> <code>{ ...state, leaderId: null }</code> reads as well and costs ten times as much. V8 11.3, which is Node 20, makes a new hidden class each time it spreads an object that was itself spread. After a few steps every place that spreads a state has seen more classes than an inline cache holds, and so has every place that reads one. Spreading then goes property by property through the slowest path there is. A profile of five Raft nodes showed 60 % of the time outside of JavaScript. One copy of a Raft state took 1.2 µs and takes 0.16 µs.</p><table tabindex="0"><thead><tr><th>steps a second, 5 nodes</th><th>spread</th><th>spelled out</th></tr></thead><tbody><tr><td>Raft</td><td>0.41 M</td><td>0.92 M</td></tr><tr><td>etcd, with its server</td><td>0.39 M</td><td>0.97 M</td></tr><tr><td>ZooKeeper, with its server</td><td>0.66 M</td><td>1.10 M</td></tr></tbody></table><p><strong>What it costs.</strong> A new field is written in three places instead of two: the type, the initial state and <code>change</code>. The compiler refuses a <code>change</code> that forgets one.</p><p><strong>Not done.</strong> Code that is made at run time from the names of the fields would save the third place; it needs <code>eval</code>, which a page with a strict content policy forbids. Classes would be as fast, but a state is plain data that survives JSON. Newer versions of V8 spread faster; this record should be looked at again when Node 20 is no longer supported.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("decisions/0015-states-are-copied-field-by-field.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0015StatesAreCopiedFieldByField = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0015StatesAreCopiedFieldByField as default
};
