import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"unreachable","description":"","frontmatter":{},"headers":[],"relativePath":"errors/unreachable.md","filePath":"errors/unreachable.md"}');
const _sfc_main = { name: "errors/unreachable.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="unreachable" tabindex="-1">unreachable <a class="header-anchor" href="#unreachable" aria-label="Permalink to &quot;unreachable&quot;">​</a></h1><p><strong>The server does not answer this node. It goes on trying.</strong></p><ul><li>Diagnostic, level warn</li></ul><h2 id="what-it-means" tabindex="-1">What it means <a class="header-anchor" href="#what-it-means" aria-label="Permalink to &quot;What it means&quot;">​</a></h2><p>The message says what was found, in words and in the system&#39;s own:</p><table tabindex="0"><thead><tr><th>it says</th><th>look at</th></tr></thead><tbody><tr><td>there is no host of that name</td><td><code>hosts</code>, DNS</td></tr><tr><td>the connection was refused</td><td>is the server running? the port in <code>hosts</code></td></tr><tr><td>nobody answers</td><td>firewall, routing, a host that is down</td></tr><tr><td>it speaks TLS / it does not speak TLS</td><td><code>https://</code> or <code>http://</code> in <code>hosts</code>, the option <code>tls</code></td></tr><tr><td>TLS could not be agreed upon</td><td><code>tls.ca</code>, <code>tls.cert</code>, <code>tls.key</code>, expired certificates</td></tr><tr><td>it is not an etcd</td><td>the port in <code>hosts</code></td></tr><tr><td>it does not answer in time</td><td>the server has lost its majority, or is overloaded</td></tr></tbody></table><h2 id="what-to-do" tabindex="-1">What to do <a class="header-anchor" href="#what-to-do" aria-label="Permalink to &quot;What to do&quot;">​</a></h2><ol><li>Mend what the message names.</li><li>A leader that cannot reach its server goes on for the rest of its lease and no longer: expect <a href="./lease-expired.html">lease-expired</a>.</li><li>Alert on it if it lasts longer than your failover budget.</li></ol></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("errors/unreachable.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const unreachable = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  unreachable as default
};
