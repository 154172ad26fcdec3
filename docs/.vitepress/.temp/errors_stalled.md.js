import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"stalled","description":"","frontmatter":{},"headers":[],"relativePath":"errors/stalled.md","filePath":"errors/stalled.md"}');
const _sfc_main = { name: "errors/stalled.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="stalled" tabindex="-1">stalled <a class="header-anchor" href="#stalled" aria-label="Permalink to &quot;stalled&quot;">​</a></h1><p><strong>The event loop of this process stood still.</strong></p><ul><li>Diagnostic, level warn</li></ul><h2 id="what-it-means" tabindex="-1">What it means <a class="header-anchor" href="#what-it-means" aria-label="Permalink to &quot;What it means&quot;">​</a></h2><p>For as long as the message says, no timer fired and no message was read. If that is longer than the slack of the timings, a leader has lost its lease meanwhile.</p><p><code>leadership.assertValid()</code> and <code>remainingMs</code> read the clock themselves, so they tell the truth even right after a stall; <code>signal</code> is late by as much as the stall.</p><h2 id="what-to-do" tabindex="-1">What to do <a class="header-anchor" href="#what-to-do" aria-label="Permalink to &quot;What to do&quot;">​</a></h2><ol><li>Find what blocks: a synchronous loop, <code>JSON.parse</code> of something huge, synchronous file access. <code>node --cpu-prof</code> shows it.</li><li>Is the process starved? Look at CPU throttling (<code>nr_throttled</code> in <code>cpu.stat</code> of its cgroup) and at swap.</li><li>Move heavy work to a worker thread, or run the election beside it: <a href="https://github.com/hustings/hustings/blob/main/packages/hustings/README.md#hustings-sidecar" target="_blank" rel="noreferrer"><code>hustings sidecar</code></a>.</li><li>If the pauses cannot be helped, allow for them with the <a href="./../ttl.html">TTL calculator</a>.</li></ol><h2 id="see-also" tabindex="-1">See also <a class="header-anchor" href="#see-also" aria-label="Permalink to &quot;See also&quot;">​</a></h2><p><a href="./lease-expired.html">lease-expired</a></p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("errors/stalled.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const stalled = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  stalled as default
};
