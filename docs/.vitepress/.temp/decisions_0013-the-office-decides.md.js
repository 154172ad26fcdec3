import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"13. The office decides, drivers carry it out","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0013-the-office-decides.md","filePath":"decisions/0013-the-office-decides.md"}');
const _sfc_main = { name: "decisions/0013-the-office-decides.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_13-the-office-decides-drivers-carry-it-out" tabindex="-1">13. The office decides, drivers carry it out <a class="header-anchor" href="#_13-the-office-decides-drivers-carry-it-out" aria-label="Permalink to &quot;13. The office decides, drivers carry it out&quot;">​</a></h1><p>&quot;The same code runs in production and in the simulator&quot; was true of <code>step</code> and not of what surrounds it. When a lease ends, what resigning means, when a node stands again and which effects are illegal was written three times, in the runtime, the simulator and the explorer, and the three differed: the runtime fail-stopped on <code>lead</code> unasked, on <code>lead</code> with another token and on <code>follow</code> while leading; the simulator accepted all three. A bug that would kill a production node passed any number of seeds.</p><p>All of that is one pure function now, <code>enter(office, entry, nowMs)</code> in <code>@hustings/elector/protocol</code>. Its events (<code>began</code>, <code>renewed</code>, <code>ended</code>, <code>expired</code>, <code>stand</code>, <code>resign</code>, <code>resigned</code>, <code>violated</code>) are turned into promises and signals by the runtime, into observations by the simulator, and kept in the state by the explorer. <code>violated</code> is a property of every search, exploration and mutant.</p><p>What we gave up: a driver can no longer make an exception of its own. The one that existed, a pause of 100 ms before a protocol that refused to stand is asked again, became a rule of the office.</p><p>Nothing that a user sees has changed: golden traces and the benchmark&#39;s figures for bully, ring and Raft are the same. The protocols that the simulator&#39;s own tests are written with led unasked, and were mended.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("decisions/0013-the-office-decides.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0013TheOfficeDecides = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0013TheOfficeDecides as default
};
