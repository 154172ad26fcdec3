import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Electors","description":"","frontmatter":{},"headers":[],"relativePath":"electors/index.md","filePath":"electors/index.md"}');
const _sfc_main = { name: "electors/index.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="electors" tabindex="-1">Electors <a class="header-anchor" href="#electors" aria-label="Permalink to &quot;Electors&quot;">​</a></h1><p>One page each, from one template: what it does not promise, first lines, settings, operations, what it costs, what happens when things fail.</p><table tabindex="0"><thead><tr><th>elector</th><th>two leaders at once?</th><th>needs</th></tr></thead><tbody><tr><td><a href="./raft.html">Raft</a></td><td>no, while clocks keep their bound</td><td>a majority of the nodes, and a disk each</td></tr><tr><td><a href="./etcd.html">etcd</a></td><td>no, while clocks keep their bound</td><td>an etcd cluster</td></tr><tr><td><a href="./zookeeper.html">ZooKeeper</a></td><td>no, while clocks keep their bound</td><td>a ZooKeeper ensemble</td></tr><tr><td><a href="./postgres.html">PostgreSQL</a></td><td>no, while it keeps what it has acknowledged</td><td>PostgreSQL</td></tr><tr><td><a href="./redis.html">Redis</a></td><td>only while Redis forgets nothing</td><td>Redis or Valkey</td></tr><tr><td><a href="./kubernetes.html">Kubernetes</a></td><td>no, while clocks keep their bound</td><td>the API server</td></tr><tr><td><a href="./consul.html">Consul</a></td><td>no, while clocks keep their bound</td><td>Consul</td></tr><tr><td><a href="./dynamodb.html">DynamoDB</a></td><td>no, while clocks keep their bound</td><td>a table</td></tr><tr><td><a href="./local.html">One machine</a></td><td>no, on one machine</td><td>nothing</td></tr><tr><td><a href="./bully.html">Bully</a></td><td><strong>yes</strong>, when the network is partitioned</td><td>nothing but the nodes</td></tr><tr><td><a href="./ring.html">Ring</a></td><td><strong>yes</strong>, when the network is partitioned</td><td>nothing but the nodes</td></tr></tbody></table><p>What to take: <a href="./../choosing.html">Choosing</a>. What each costs, side by side: <a href="./../comparison.html">The comparison</a>.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("electors/index.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const index = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  index as default
};
