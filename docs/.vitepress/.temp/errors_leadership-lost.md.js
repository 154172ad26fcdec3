import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"leadership-lost","description":"","frontmatter":{},"headers":[],"relativePath":"errors/leadership-lost.md","filePath":"errors/leadership-lost.md"}');
const _sfc_main = { name: "errors/leadership-lost.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="leadership-lost" tabindex="-1">leadership-lost <a class="header-anchor" href="#leadership-lost" aria-label="Permalink to &quot;leadership-lost&quot;">​</a></h1><p><strong>A Leadership was used after this node had stopped leading.</strong></p><ul><li>Error <code>LeadershipLostError</code>, code <code>HUSTINGS_LEADERSHIP_LOST</code></li></ul><h2 id="what-it-means" tabindex="-1">What it means <a class="header-anchor" href="#what-it-means" aria-label="Permalink to &quot;What it means&quot;">​</a></h2><p><code>leadership.assertValid()</code> throws this error, and <code>leadership.signal.reason</code> is one. Its <code>reason</code> says why the office ended; each reason has a page: <a href="./resigned.html">resigned</a>, <a href="./stopped.html">stopped</a>, <a href="./deposed.html">deposed</a>, <a href="./lease-expired.html">lease-expired</a>, <a href="./quorum-lost.html">quorum-lost</a>, <a href="./session-lost.html">session-lost</a>, <a href="./unhealthy.html">unhealthy</a>, <a href="./storage-failed.html">storage-failed</a>.</p><p>It is not a fault of your program. It is how your program learns that it must stop.</p><h2 id="what-to-do" tabindex="-1">What to do <a class="header-anchor" href="#what-to-do" aria-label="Permalink to &quot;What to do&quot;">​</a></h2><ul><li>End the work: undo what is half done, or leave it to the next leader.</li><li>Do not catch it and go on. Another node may lead already.</li><li>With <code>lead()</code> there is nothing else to do: when the work has ended, the node campaigns again.</li><li>If it happens often, read the page of its reason.</li></ul><h2 id="see-also" tabindex="-1">See also <a class="header-anchor" href="#see-also" aria-label="Permalink to &quot;See also&quot;">​</a></h2><p><a href="./../chapters/02-fencing.html">Fencing tokens</a>: why a check before the write is not enough.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("errors/leadership-lost.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const leadershipLost = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  leadershipLost as default
};
