import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"membership-differs","description":"","frontmatter":{},"headers":[],"relativePath":"errors/membership-differs.md","filePath":"errors/membership-differs.md"}');
const _sfc_main = { name: "errors/membership-differs.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="membership-differs" tabindex="-1">membership-differs <a class="header-anchor" href="#membership-differs" aria-label="Permalink to &quot;membership-differs&quot;">​</a></h1><p><strong>The nodes that are configured are not the nodes that vote.</strong></p><ul><li>Diagnostic, level warn</li></ul><h2 id="what-it-means" tabindex="-1">What it means <a class="header-anchor" href="#what-it-means" aria-label="Permalink to &quot;What it means&quot;">​</a></h2><p>Who votes is stored with the nodes, so that a node with a wrong configuration cannot change it by mistake. A changed <code>peers</code> alone changes nothing.</p><h2 id="what-to-do" tabindex="-1">What to do <a class="header-anchor" href="#what-to-do" aria-label="Permalink to &quot;What to do&quot;">​</a></h2><ul><li>The message lists the calls to make on the leader: <code>elector.addVoter(&#39;node-4&#39;)</code>, <code>elector.removeVoter(&#39;node-2&#39;)</code>.</li><li>Or take the change of the configuration back.</li></ul><h2 id="see-also" tabindex="-1">See also <a class="header-anchor" href="#see-also" aria-label="Permalink to &quot;See also&quot;">​</a></h2><p><a href="./../operating/raft-cluster.html#adding-and-removing-nodes">Adding and removing nodes</a></p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("errors/membership-differs.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const membershipDiffers = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  membershipDiffers as default
};
