import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"stopped","description":"","frontmatter":{},"headers":[],"relativePath":"errors/stopped.md","filePath":"errors/stopped.md"}');
const _sfc_main = { name: "errors/stopped.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="stopped" tabindex="-1">stopped <a class="header-anchor" href="#stopped" aria-label="Permalink to &quot;stopped&quot;">​</a></h1><p><strong>The elector has stopped: <code>stop()</code> was called.</strong></p><ul><li>Error <code>StoppedError</code>, code <code>HUSTINGS_STOPPED</code></li><li>Reason: why a leader stopped leading</li></ul><h2 id="what-it-means" tabindex="-1">What it means <a class="header-anchor" href="#what-it-means" aria-label="Permalink to &quot;What it means&quot;">​</a></h2><p>As a reason, it says that a leader left because its own process called <code>stop()</code>. That is normal at every shutdown.</p><p>As an error, it says that a stopped elector was used, or that <code>stop()</code> interrupted a campaign.</p><h2 id="what-to-do" tabindex="-1">What to do <a class="header-anchor" href="#what-to-do" aria-label="Permalink to &quot;What to do&quot;">​</a></h2><ul><li>Nothing, if you stopped it.</li><li>A stopped elector does not start again. Create a new one.</li><li>If a campaign fails with it at shutdown, that campaign was simply not won in time.</li></ul><h2 id="see-also" tabindex="-1">See also <a class="header-anchor" href="#see-also" aria-label="Permalink to &quot;See also&quot;">​</a></h2><p><a href="./../operating/shutdown.html">Shutting down</a></p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("errors/stopped.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const stopped = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  stopped as default
};
