import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"1. Standing for election is explicit","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0001-standing-is-explicit.md","filePath":"decisions/0001-standing-is-explicit.md"}');
const _sfc_main = { name: "decisions/0001-standing-is-explicit.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_1-standing-for-election-is-explicit" tabindex="-1">1. Standing for election is explicit <a class="header-anchor" href="#_1-standing-for-election-is-explicit" aria-label="Permalink to &quot;1. Standing for election is explicit&quot;">​</a></h1><p><strong>Decision.</strong> <code>start()</code> makes a node a follower. It stands for election between <code>campaign()</code> and the end of the Leadership that the campaign wins; a <code>step-down</code> ends its standing, and the driver asks again (<code>campaign-requested</code>) when the application does. The vocabulary has an input <code>campaign-requested</code> and an effect <code>campaign</code> that the design did not list.</p><p><strong>Why.</strong> Were a node to stand from <code>start()</code>, it could win while its application does nothing, and hold up nodes whose applications would. And a node that lost leadership could win it back while its old work is still ending, so that two runs of the work overlap in one process. With one Leadership for one campaign neither can happen, for any algorithm, without the driver knowing anything about it.</p><p>The effect <code>campaign</code> also marks the moment at which a failure is acted upon, which is what <em>detection</em> measures.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("decisions/0001-standing-is-explicit.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0001StandingIsExplicit = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0001StandingIsExplicit as default
};
