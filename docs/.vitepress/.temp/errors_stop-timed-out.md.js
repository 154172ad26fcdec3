import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"stop-timed-out","description":"","frontmatter":{},"headers":[],"relativePath":"errors/stop-timed-out.md","filePath":"errors/stop-timed-out.md"}');
const _sfc_main = { name: "errors/stop-timed-out.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="stop-timed-out" tabindex="-1">stop-timed-out <a class="header-anchor" href="#stop-timed-out" aria-label="Permalink to &quot;stop-timed-out&quot;">​</a></h1><p><strong><code>stop()</code> gave up waiting for its resignation to be acknowledged.</strong></p><ul><li>Diagnostic, level warn</li></ul><h2 id="what-it-means" tabindex="-1">What it means <a class="header-anchor" href="#what-it-means" aria-label="Permalink to &quot;What it means&quot;">​</a></h2><p>The node has stopped. But the server or the other nodes may not know, so they wait until the lease runs out before somebody else leads.</p><h2 id="what-to-do" tabindex="-1">What to do <a class="header-anchor" href="#what-to-do" aria-label="Permalink to &quot;What to do&quot;">​</a></h2><ul><li>Nothing, if the server was away.</li><li>If it happens at every deployment, the process is killed too soon, or the network is taken down before the process: see <a href="./../operating/shutdown.html">shutting down</a>.</li></ul></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("errors/stop-timed-out.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const stopTimedOut = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  stopTimedOut as default
};
