import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"blocked","description":"","frontmatter":{},"headers":[],"relativePath":"errors/blocked.md","filePath":"errors/blocked.md"}');
const _sfc_main = { name: "errors/blocked.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="blocked" tabindex="-1">blocked <a class="header-anchor" href="#blocked" aria-label="Permalink to &quot;blocked&quot;">​</a></h1><p><strong>A key in etcd that belongs to no candidate stands in the way. Nobody can lead.</strong></p><ul><li>Diagnostic, level error</li></ul><h2 id="what-it-means" tabindex="-1">What it means <a class="header-anchor" href="#what-it-means" aria-label="Permalink to &quot;What it means&quot;">​</a></h2><p>The oldest key of the election has no lease, so it never goes away by itself. Somebody has written it by hand, or with another program.</p><h2 id="what-to-do" tabindex="-1">What to do <a class="header-anchor" href="#what-to-do" aria-label="Permalink to &quot;What to do&quot;">​</a></h2><ol><li>The message names the key. Look at it: <code>etcdctl get KEY</code>.</li><li>If it belongs to nobody, delete it: <code>etcdctl del KEY</code>. The next in the queue leads at once.</li><li>Give the election a name under which nothing else writes.</li></ol></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("errors/blocked.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const blocked = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  blocked as default
};
