import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"21. The front door is calm","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0021-timings-are-calm.md","filePath":"decisions/0021-timings-are-calm.md"}');
const _sfc_main = { name: "decisions/0021-timings-are-calm.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_21-the-front-door-is-calm" tabindex="-1">21. The front door is calm <a class="header-anchor" href="#_21-the-front-door-is-calm" aria-label="Permalink to &quot;21. The front door is calm&quot;">​</a></h1><p><strong>Decision.</strong> <code>hustings/raft</code> has an election timeout of 1 to 2 s and a heartbeat of 100 ms by default, where <code>@hustings/raft</code> and the benchmark keep the paper&#39;s 150 to 300 ms. Presets have names (<code>lan</code>, <code>wan</code>, <code>fast</code>), and each elector knows its slack: what a renewal may be late before leadership is lost.</p><p><strong>Why.</strong> At 150 ms the slack is 82 ms, less than one garbage collection, one <code>JSON.parse</code> of a large file, or one turn on a busy machine: leaders changed nine times in fifteen seconds, and at 34 ms one way nobody stayed in office. A service notices a failover that takes two seconds less than one that happens for no reason. Those who measure algorithms want the paper&#39;s figures, and <code>npm run bench</code> still has them: presets are the front door&#39;s alone.</p><p><strong>What it costs.</strong> A leader that dies is replaced after 1 to 2 s instead of 150 to 300 ms. One that resigns is replaced at once in either case. <code>timings: &#39;fast&#39;</code> brings the old ones back.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("decisions/0021-timings-are-calm.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0021TimingsAreCalm = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0021TimingsAreCalm as default
};
