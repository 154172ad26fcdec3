import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"lease-expired","description":"","frontmatter":{},"headers":[],"relativePath":"errors/lease-expired.md","filePath":"errors/lease-expired.md"}');
const _sfc_main = { name: "errors/lease-expired.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="lease-expired" tabindex="-1">lease-expired <a class="header-anchor" href="#lease-expired" aria-label="Permalink to &quot;lease-expired&quot;">​</a></h1><p><strong>The leader could not renew its lease in time, and stopped before anybody else could lead.</strong></p><ul><li>Reason: why a leader stopped leading</li></ul><h2 id="what-it-means" tabindex="-1">What it means <a class="header-anchor" href="#what-it-means" aria-label="Permalink to &quot;What it means&quot;">​</a></h2><p>A leader may act only while its lease runs. This one was not renewed within the slack that its timings leave. The causes, most frequent first:</p><ol><li><strong>The process stood still</strong>: blocked by its own code, by garbage collection, or starved of CPU. Then <a href="./stalled.html">stalled</a> stands next to it in the log.</li><li><strong>The server or the network was slow or away</strong>: <a href="./unreachable.html">unreachable</a> or <a href="./slow-round-trips.html">slow-round-trips</a> stands next to it.</li><li><strong>The whole machine was paused</strong>: a virtual machine was moved or suspended.</li></ol><h2 id="what-to-do" tabindex="-1">What to do <a class="header-anchor" href="#what-to-do" aria-label="Permalink to &quot;What to do&quot;">​</a></h2><ol><li>Look at the lines before it in the log.</li><li>Give the process CPU. In Kubernetes, raise its CPU limit: throttling is a pause.</li><li>If the pauses are normal for this process, allow for them: <code>npx hustings ttl --failover-ms 15000 --pause-ms 3000</code> says which TTL bears a pause of 3 s.</li></ol><h2 id="see-also" tabindex="-1">See also <a class="header-anchor" href="#see-also" aria-label="Permalink to &quot;See also&quot;">​</a></h2><p><a href="./../ttl.html">TTL calculator</a>, <a href="./../chapters/06-leases.html">Leases and clocks</a></p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("errors/lease-expired.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const leaseExpired = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  leaseExpired as default
};
