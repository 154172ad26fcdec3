import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"denied","description":"","frontmatter":{},"headers":[],"relativePath":"errors/denied.md","filePath":"errors/denied.md"}');
const _sfc_main = { name: "errors/denied.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="denied" tabindex="-1">denied <a class="header-anchor" href="#denied" aria-label="Permalink to &quot;denied&quot;">​</a></h1><p><strong>The server answers, and refuses this node. It goes on trying.</strong></p><ul><li>Diagnostic, level warn</li></ul><h2 id="what-it-means" tabindex="-1">What it means <a class="header-anchor" href="#what-it-means" aria-label="Permalink to &quot;What it means&quot;">​</a></h2><p>A password is wrong, a right is missing, or a table is not there. The message has the server&#39;s own words. Retrying alone will not help.</p><h2 id="what-to-do" tabindex="-1">What to do <a class="header-anchor" href="#what-to-do" aria-label="Permalink to &quot;What to do&quot;">​</a></h2><table tabindex="0"><thead><tr><th>server</th><th>what the node needs</th></tr></thead><tbody><tr><td>etcd</td><td>a user with a role that may read and write below the name of the election</td></tr><tr><td>ZooKeeper</td><td><code>auth</code> that the ACL of the election&#39;s path accepts</td></tr><tr><td>PostgreSQL</td><td><code>USAGE</code> on the schema <code>hustings</code>, and SELECT, INSERT and UPDATE on <code>hustings.lease</code>; or the right to create them</td></tr><tr><td>Kubernetes</td><td>a Role with <code>get</code>, <code>create</code>, <code>update</code>, <code>watch</code> and <code>list</code> on <code>leases</code></td></tr><tr><td>Consul</td><td><code>key_prefix &quot;hustings/&quot; { policy = &quot;write&quot; }</code> and <code>session_prefix &quot;&quot; { policy = &quot;write&quot; }</code></td></tr><tr><td>DynamoDB</td><td><code>dynamodb:GetItem</code> and <code>dynamodb:PutItem</code> on the table</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("errors/denied.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const denied = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  denied as default
};
