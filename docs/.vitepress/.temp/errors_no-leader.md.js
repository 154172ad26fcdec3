import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"no-leader","description":"","frontmatter":{},"headers":[],"relativePath":"errors/no-leader.md","filePath":"errors/no-leader.md"}');
const _sfc_main = { name: "errors/no-leader.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="no-leader" tabindex="-1">no-leader <a class="header-anchor" href="#no-leader" aria-label="Permalink to &quot;no-leader&quot;">​</a></h1><p><strong>This node stands for election, and has heard of no leader for a long time.</strong></p><ul><li>Diagnostic, level warn</li></ul><h2 id="what-it-means" tabindex="-1">What it means <a class="header-anchor" href="#what-it-means" aria-label="Permalink to &quot;What it means&quot;">​</a></h2><p>It has waited ten times the slack of its timings, long enough for many elections. So something keeps everybody from leading.</p><h2 id="what-to-do" tabindex="-1">What to do <a class="header-anchor" href="#what-to-do" aria-label="Permalink to &quot;What to do&quot;">​</a></h2><ul><li><em>Raft</em>: does a majority of the nodes run, and do they reach each other? Look for <a href="./peer-unreachable.html">peer-unreachable</a> and <a href="./peer-refused.html">peer-refused</a>. A node that was added to a running cluster needs <code>elector.addVoter(&#39;its-id&#39;)</code> on the leader.</li><li><em>etcd, ZooKeeper, stores</em>: does the server answer this node? Look for <a href="./unreachable.html">unreachable</a> and <a href="./denied.html">denied</a>.</li><li><em>Redlock</em>: do a majority of the instances answer?</li><li><a href="./blocked.html">blocked</a> or <a href="./data-lost.html">data-lost</a> in any node&#39;s log explains it as well.</li></ul></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("errors/no-leader.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const noLeader = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  noLeader as default
};
