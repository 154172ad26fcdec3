import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"peer-refused","description":"","frontmatter":{},"headers":[],"relativePath":"errors/peer-refused.md","filePath":"errors/peer-refused.md"}');
const _sfc_main = { name: "errors/peer-refused.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="peer-refused" tabindex="-1">peer-refused <a class="header-anchor" href="#peer-refused" aria-label="Permalink to &quot;peer-refused&quot;">​</a></h1><p><strong>One of two nodes refuses to talk to the other.</strong></p><ul><li>Diagnostic, level warn</li></ul><h2 id="what-it-means" tabindex="-1">What it means <a class="header-anchor" href="#what-it-means" aria-label="Permalink to &quot;What it means&quot;">​</a></h2><p>The reason stands in brackets:</p><table tabindex="0"><thead><tr><th>reason</th><th>cause</th></tr></thead><tbody><tr><td><code>unauthenticated</code></td><td>the secrets differ, or a certificate is not trusted</td></tr><tr><td><code>unknown-peer</code></td><td>the node that calls is not among the <code>peers</code> of the other</td></tr><tr><td><code>wrong-node</code></td><td>the address in <code>peers</code> belongs to a node with another id</td></tr><tr><td><code>duplicate-identity</code></td><td>two processes run with the same id</td></tr><tr><td><code>superseded</code></td><td>a later process with this id is connected; this one is a leftover</td></tr><tr><td><code>malformed</code>, <code>oversized</code></td><td>different algorithm, version or <code>election</code>; or not a Hustings node at all</td></tr><tr><td><code>unsupported-version</code></td><td>versions of Hustings that are too far apart</td></tr><tr><td><code>handshake-timeout</code>, <code>too-many-connections</code>, <code>slow-peer</code></td><td>overload, or strangers at the port</td></tr></tbody></table><h2 id="what-to-do" tabindex="-1">What to do <a class="header-anchor" href="#what-to-do" aria-label="Permalink to &quot;What to do&quot;">​</a></h2><ul><li>Mend the configuration of the node that is named.</li><li><em>duplicate-identity</em>: find the second process and stop it. Two processes with one id is also how a copied state directory shows itself.</li><li>Refusals from unknown addresses mean that strangers reach the port: see <a href="./../operating/security.html">security</a>.</li></ul></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("errors/peer-refused.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const peerRefused = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  peerRefused as default
};
