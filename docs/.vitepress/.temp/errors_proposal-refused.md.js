import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"proposal-refused","description":"","frontmatter":{},"headers":[],"relativePath":"errors/proposal-refused.md","filePath":"errors/proposal-refused.md"}');
const _sfc_main = { name: "errors/proposal-refused.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="proposal-refused" tabindex="-1">proposal-refused <a class="header-anchor" href="#proposal-refused" aria-label="Permalink to &quot;proposal-refused&quot;">​</a></h1><p><strong>A change of Raft&#39;s log or of its members was refused. It has not happened, and never will.</strong></p><ul><li>Error <code>ProposalRefusedError</code>, code <code>HUSTINGS_PROPOSAL_REFUSED</code></li></ul><h2 id="what-it-means" tabindex="-1">What it means <a class="header-anchor" href="#what-it-means" aria-label="Permalink to &quot;What it means&quot;">​</a></h2><p><code>reason</code> says why:</p><table tabindex="0"><thead><tr><th>reason</th><th>what to do</th></tr></thead><tbody><tr><td><code>not-leader</code></td><td>ask <code>leaderId</code>, if it is known</td></tr><tr><td><code>resigning</code></td><td>wait for the next leader</td></tr><tr><td><code>change-pending</code></td><td>another change of the members is not committed yet: ask again</td></tr><tr><td><code>term-not-begun</code></td><td>the leader is new: ask again in a moment</td></tr><tr><td><code>not-caught-up</code>, <code>silent</code></td><td>the new node is behind, or does not answer: let it run, then ask again</td></tr><tr><td><code>too-many-uncommitted</code></td><td>slow down, or find out why a majority is slow</td></tr><tr><td><code>no-change</code></td><td>nothing to do: it is so already</td></tr><tr><td><code>last-voter</code></td><td>the last voter cannot be removed</td></tr><tr><td><code>superseded</code></td><td>another leader&#39;s entry took its place: propose it again</td></tr></tbody></table><h2 id="what-to-do" tabindex="-1">What to do <a class="header-anchor" href="#what-to-do" aria-label="Permalink to &quot;What to do&quot;">​</a></h2><ul><li><code>elector.addVoter()</code> and <code>elector.removeVoter()</code> ask again by themselves where that helps.</li></ul><h2 id="see-also" tabindex="-1">See also <a class="header-anchor" href="#see-also" aria-label="Permalink to &quot;See also&quot;">​</a></h2><p><a href="./../operating/raft-cluster.html">Running a Raft cluster</a></p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("errors/proposal-refused.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const proposalRefused = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  proposalRefused as default
};
