import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"campaign-withdrawn","description":"","frontmatter":{},"headers":[],"relativePath":"errors/campaign-withdrawn.md","filePath":"errors/campaign-withdrawn.md"}');
const _sfc_main = { name: "errors/campaign-withdrawn.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="campaign-withdrawn" tabindex="-1">campaign-withdrawn <a class="header-anchor" href="#campaign-withdrawn" aria-label="Permalink to &quot;campaign-withdrawn&quot;">​</a></h1><p><strong><code>resign()</code> ended a campaign before it was won.</strong></p><ul><li>Error <code>CampaignWithdrawnError</code>, code <code>HUSTINGS_CAMPAIGN_WITHDRAWN</code></li></ul><h2 id="what-it-means" tabindex="-1">What it means <a class="header-anchor" href="#what-it-means" aria-label="Permalink to &quot;What it means&quot;">​</a></h2><p>The node stood for election, and the same process called <code>resign()</code>. The campaign that was waiting is rejected with this error.</p><h2 id="what-to-do" tabindex="-1">What to do <a class="header-anchor" href="#what-to-do" aria-label="Permalink to &quot;What to do&quot;">​</a></h2><ul><li>Call <code>campaign()</code> again when the node shall stand again.</li><li>If nobody called <code>resign()</code>, look for a second piece of code that shares this elector.</li></ul></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("errors/campaign-withdrawn.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const campaignWithdrawn = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  campaignWithdrawn as default
};
