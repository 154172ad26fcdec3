import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"3. A token has a holder","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0003-the-token-has-a-holder.md","filePath":"decisions/0003-the-token-has-a-holder.md"}');
const _sfc_main = { name: "decisions/0003-the-token-has-a-holder.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_3-a-token-has-a-holder" tabindex="-1">3. A token has a holder <a class="header-anchor" href="#_3-a-token-has-a-holder" aria-label="Permalink to &quot;3. A token has a holder&quot;">​</a></h1><p><strong>Decision.</strong> <code>Leadership</code> carries <code>holder</code>, the node&#39;s id with a nonce of the process, beside <code>token</code>. <code>FencedStore</code> takes both and refuses a second holder of an equal token.</p><p><strong>Why.</strong> Bully and ring may issue one epoch on both sides of a split, and two processes configured with one id by mistake would present the same token from the same name. The nonce tells them apart.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("decisions/0003-the-token-has-a-holder.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0003TheTokenHasAHolder = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0003TheTokenHasAHolder as default
};
