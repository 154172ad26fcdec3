import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"deposed","description":"","frontmatter":{},"headers":[],"relativePath":"errors/deposed.md","filePath":"errors/deposed.md"}');
const _sfc_main = { name: "errors/deposed.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="deposed" tabindex="-1">deposed <a class="header-anchor" href="#deposed" aria-label="Permalink to &quot;deposed&quot;">​</a></h1><p><strong>Another node leads, or somebody has taken this node&#39;s office away.</strong></p><ul><li>Reason: why a leader stopped leading</li></ul><h2 id="what-it-means" tabindex="-1">What it means <a class="header-anchor" href="#what-it-means" aria-label="Permalink to &quot;What it means&quot;">​</a></h2><table tabindex="0"><thead><tr><th>elector</th><th>what happened</th></tr></thead><tbody><tr><td>Raft</td><td>a later term began, or this node was removed from the cluster</td></tr><tr><td>etcd, ZooKeeper</td><td>its own key or znode was deleted while its session lived: by an operator, or by the server itself</td></tr><tr><td>stores</td><td>the store names another holder</td></tr><tr><td>bully, ring</td><td>a stronger node came, or a leader with a later epoch was heard</td></tr></tbody></table><h2 id="what-to-do" tabindex="-1">What to do <a class="header-anchor" href="#what-to-do" aria-label="Permalink to &quot;What to do&quot;">​</a></h2><ul><li>Once, after a network problem: nothing.</li><li>With etcd, ZooKeeper, Consul or Kubernetes: find out who deletes keys, sessions or Lease objects. A clean-up script is the usual suspect.</li><li>With bully it is part of the algorithm: the strongest node always takes over.</li></ul></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("errors/deposed.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const deposed = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  deposed as default
};
