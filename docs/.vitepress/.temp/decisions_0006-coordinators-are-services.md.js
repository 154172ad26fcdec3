import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"6. Coordinators are services of a simulation","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0006-coordinators-are-services.md","filePath":"decisions/0006-coordinators-are-services.md"}');
const _sfc_main = { name: "decisions/0006-coordinators-are-services.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_6-coordinators-are-services-of-a-simulation" tabindex="-1">6. Coordinators are services of a simulation <a class="header-anchor" href="#_6-coordinators-are-services-of-a-simulation" aria-label="Permalink to &quot;6. Coordinators are services of a simulation&quot;">​</a></h1><p><strong>Decision.</strong> A <code>Simulation</code> takes <code>services</code> beside <code>nodes</code>: protocols on the same network that never lead. The simulated etcd and ZooKeeper are such services, each one node that stands for its whole cluster; faults <code>isolate-from-coordinator</code> and <code>coordinator-crash</code> concern them.</p><p><strong>Why.</strong> One metering point and one fault injector then serve all five algorithms, as design.md asks. That a service stands for a cluster keeps the members&#39; own consensus out of our simulator: what a candidate can see of it, lagging reads, changes of leader, sessions and leases that survive them, is modelled and held against real clusters by contract tests.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("decisions/0006-coordinators-are-services.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0006CoordinatorsAreServices = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0006CoordinatorsAreServices as default
};
