import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"proposal-uncertain","description":"","frontmatter":{},"headers":[],"relativePath":"errors/proposal-uncertain.md","filePath":"errors/proposal-uncertain.md"}');
const _sfc_main = { name: "errors/proposal-uncertain.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="proposal-uncertain" tabindex="-1">proposal-uncertain <a class="header-anchor" href="#proposal-uncertain" aria-label="Permalink to &quot;proposal-uncertain&quot;">​</a></h1><p><strong>Nobody here can tell whether a proposal will be committed. It may be.</strong></p><ul><li>Error <code>ProposalUncertainError</code>, code <code>HUSTINGS_PROPOSAL_UNCERTAIN</code></li></ul><h2 id="what-it-means" tabindex="-1">What it means <a class="header-anchor" href="#what-it-means" aria-label="Permalink to &quot;What it means&quot;">​</a></h2><p>The leader that took it has stopped leading, or the elector was stopped, before the outcome was known.</p><h2 id="what-to-do" tabindex="-1">What to do <a class="header-anchor" href="#what-to-do" aria-label="Permalink to &quot;What to do&quot;">​</a></h2><ul><li>Look for it among the committed entries before you propose it again.</li><li>Give proposals an id of their own, so that one that happens twice can be recognised.</li></ul></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("errors/proposal-uncertain.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const proposalUncertain = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  proposalUncertain as default
};
