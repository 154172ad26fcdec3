import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"7. The driver says whether anybody observes","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0007-the-driver-says-who-observes.md","filePath":"decisions/0007-the-driver-says-who-observes.md"}');
const _sfc_main = { name: "decisions/0007-the-driver-says-who-observes.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_7-the-driver-says-whether-anybody-observes" tabindex="-1">7. The driver says whether anybody observes <a class="header-anchor" href="#_7-the-driver-says-whether-anybody-observes" aria-label="Permalink to &quot;7. The driver says whether anybody observes&quot;">​</a></h1><p><strong>Decision.</strong> The vocabulary has an input <code>observation-changed</code>, with a boolean. The runtime sends it when the first iteration of <code>observe()</code> begins and when the last one ends. Whoever ignores it loses nothing; the etcd elector is the one that acts on it. The simulator does not send it, since there an application only campaigns; a test hands it over with <code>give</code>.</p><p><strong>Why.</strong> In a queue on a coordinator nobody but the next in line has to hear that the leader has gone, so a failover costs the same however many wait. To show every leader to everyone, each node must watch the whole election, and a failover costs one event more for each of them. Both are wanted: the first while nobody looks, the second for whoever does. A setting made the application choose once and for all, and made the expensive answer the default; only the driver knows who is looking now.</p><p>While nobody observes, <code>belief()</code> still answers. An etcd elector reads who leads as often as it renews its lease, which is traffic of the same kind and rate as the renewals, and its belief is at most that old. A belief is what one node thinks, so a late one is no less true than a prompt one; what must not be late, the end of a Leadership, does not depend on it.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("decisions/0007-the-driver-says-who-observes.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0007TheDriverSaysWhoObserves = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0007TheDriverSaysWhoObserves as default
};
