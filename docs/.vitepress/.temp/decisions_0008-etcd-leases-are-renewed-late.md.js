import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"8. etcd leases are renewed after six tenths of their time","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0008-etcd-leases-are-renewed-late.md","filePath":"decisions/0008-etcd-leases-are-renewed-late.md"}');
const _sfc_main = { name: "decisions/0008-etcd-leases-are-renewed-late.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_8-etcd-leases-are-renewed-after-six-tenths-of-their-time" tabindex="-1">8. etcd leases are renewed after six tenths of their time <a class="header-anchor" href="#_8-etcd-leases-are-renewed-after-six-tenths-of-their-time" aria-label="Permalink to &quot;8. etcd leases are renewed after six tenths of their time&quot;">​</a></h1><p><strong>Superseded by <a href="./0026-fast-by-principle-or-not-at-all.html">decision 26</a></strong>: leases are renewed after a third again.</p><p><strong>Decision.</strong> The etcd elector renews its lease when six tenths of it have passed, and from then on every tenth until it is answered. The design said every third.</p><p><strong>Why.</strong> A leader that is killed leaves behind what is left of its lease, and nobody can lead before etcd has seen it run out. A death comes at any moment between two renewals, so of a lease <em>T</em> that is renewed every <em>r·T</em> there is <em>T</em>·(1 − <em>r</em>/2) left on average. That, and up to half a second until the server next looks for expired leases, is the whole of the failover; what we add to it, an event and a look, is a few milliseconds. <code>etcdctl lock</code> looks twice a second whether a third of its lease has passed, so of 2 s it renews every second, which is <em>r</em> = 1/2. With a third we are slower than it by <em>T</em>/12, whatever else we do; with a half as quick; with six tenths quicker.</p><p><strong>What it costs.</strong> Not safety: the deadline counts from when the last successful renewal was sent, however late the next one is. But patience: etcd may fail to answer for <em>T</em>·(1 − <em>r</em>) − guard before a living leader must stop. Of the default lease of 5 s that leaves 1.8 s and four attempts, at another endpoint each; of 2 s it leaves 0.66 s and four. With a third it would be 3.1 s. etcd&#39;s members, at their default timing, elect a leader in one to two seconds. Whoever prefers patience to speed sets <code>renewAfter</code> to a third, or asks for a longer lease.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("decisions/0008-etcd-leases-are-renewed-late.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0008EtcdLeasesAreRenewedLate = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0008EtcdLeasesAreRenewedLate as default
};
