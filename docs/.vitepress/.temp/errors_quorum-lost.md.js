import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"quorum-lost","description":"","frontmatter":{},"headers":[],"relativePath":"errors/quorum-lost.md","filePath":"errors/quorum-lost.md"}');
const _sfc_main = { name: "errors/quorum-lost.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="quorum-lost" tabindex="-1">quorum-lost <a class="header-anchor" href="#quorum-lost" aria-label="Permalink to &quot;quorum-lost&quot;">​</a></h1><p><strong>A Raft leader stepped down because a majority of the nodes did not answer it in time.</strong></p><ul><li>Reason: why a leader stopped leading</li></ul><h2 id="what-it-means" tabindex="-1">What it means <a class="header-anchor" href="#what-it-means" aria-label="Permalink to &quot;What it means&quot;">​</a></h2><p>A leader of Raft needs answers from more than half of the voters, its own included. When they do not come, it cannot know whether the others have elected somebody else, so it stops.</p><p>Of three nodes two must run and reach each other, of five three. On the other side of a network partition there may already be a new leader: that is how it should be.</p><h2 id="what-to-do" tabindex="-1">What to do <a class="header-anchor" href="#what-to-do" aria-label="Permalink to &quot;What to do&quot;">​</a></h2><ol><li>Is there a leader now? <code>hustings.leader</code> is 1 on one node, or ask a sidecar: <code>npx hustings observe --sidecar http://127.0.0.1:4040</code>.</li><li>If there is, only this node is cut off. Look for <a href="./peer-unreachable.html">peer-unreachable</a> in its log, and mend its network.</li><li>If there is none, count the nodes that run. Start those that do not.</li><li>If a majority is gone for good, follow <a href="./../operating/raft-cluster.html#when-the-majority-is-lost">disaster recovery</a>. Do not delete state directories.</li><li>If all nodes run and reach each other, they may be too slow for their timings: see <a href="./slow-round-trips.html">slow-round-trips</a> and <a href="./../operating/wan.html">timeouts on a WAN</a>.</li></ol><h2 id="see-also" tabindex="-1">See also <a class="header-anchor" href="#see-also" aria-label="Permalink to &quot;See also&quot;">​</a></h2><p><a href="./../chapters/05-raft.html">Raft</a></p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("errors/quorum-lost.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const quorumLost = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  quorumLost as default
};
