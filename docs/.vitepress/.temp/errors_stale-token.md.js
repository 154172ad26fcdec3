import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"stale-token","description":"","frontmatter":{},"headers":[],"relativePath":"errors/stale-token.md","filePath":"errors/stale-token.md"}');
const _sfc_main = { name: "errors/stale-token.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="stale-token" tabindex="-1">stale-token <a class="header-anchor" href="#stale-token" aria-label="Permalink to &quot;stale-token&quot;">​</a></h1><p><strong>A guarded resource refused a write: a newer leader has written before.</strong></p><ul><li>Error <code>StaleTokenError</code>, code <code>HUSTINGS_STALE_TOKEN</code></li></ul><h2 id="what-it-means" tabindex="-1">What it means <a class="header-anchor" href="#what-it-means" aria-label="Permalink to &quot;What it means&quot;">​</a></h2><p>The resource has seen a higher token than the one it was shown, or has seen the same token from another holder. So the writer no longer leads, whatever it believes. The write did not happen.</p><p>Other languages see the same refusal as SQLSTATE <code>HU412</code> from PostgreSQL, and as status 412 over HTTP. <code>HU428</code> and status 428 mean that no token was shown at all.</p><h2 id="what-to-do" tabindex="-1">What to do <a class="header-anchor" href="#what-to-do" aria-label="Permalink to &quot;What to do&quot;">​</a></h2><ul><li>Stop the work, as for <a href="./leadership-lost.html">leadership-lost</a>. Do not retry with the same token: it will never be accepted again.</li><li>If the <em>newest</em> leader is refused, its token is too low. Either the server that hands out tokens has lost its data (<a href="./data-lost.html">data-lost</a>), or two different elections share one resource. Give each election a resource name of its own.</li></ul><h2 id="see-also" tabindex="-1">See also <a class="header-anchor" href="#see-also" aria-label="Permalink to &quot;See also&quot;">​</a></h2><p><a href="./../chapters/02-fencing.html">Fencing tokens</a>, <a href="https://github.com/hustings/hustings/blob/main/packages/fence/README.md" target="_blank" rel="noreferrer"><code>@hustings/fence</code></a></p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("errors/stale-token.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const staleToken = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  staleToken as default
};
