import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"4. A bully node that comes up listens before it claims office","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0004-a-returning-bully-listens.md","filePath":"decisions/0004-a-returning-bully-listens.md"}');
const _sfc_main = { name: "decisions/0004-a-returning-bully-listens.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_4-a-bully-node-that-comes-up-listens-before-it-claims-office" tabindex="-1">4. A bully node that comes up listens before it claims office <a class="header-anchor" href="#_4-a-bully-node-that-comes-up-listens-before-it-claims-office" aria-label="Permalink to &quot;4. A bully node that comes up listens before it claims office&quot;">​</a></h1><p><strong>Decision.</strong> A node that has started waits until it hears a leader, is asked by a weaker node, or has heard nothing for <code>leaderTimeoutMs</code>; then it calls an election. The paper has it call one at once.</p><p><strong>Why.</strong> The golden trace of a returning node showed it: the strongest node asks nobody, so it took the epoch after the last one <em>it</em> knew, which was the epoch of the leader that it deposed. Two leaders had one token, in a network without any fault. A leader greets every new connection, so listening costs one round trip where there is a leader, and one timeout where there is none.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("decisions/0004-a-returning-bully-listens.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0004AReturningBullyListens = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0004AReturningBullyListens as default
};
