import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"data-lost","description":"","frontmatter":{},"headers":[],"relativePath":"errors/data-lost.md","filePath":"errors/data-lost.md"}');
const _sfc_main = { name: "errors/data-lost.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="data-lost" tabindex="-1">data-lost <a class="header-anchor" href="#data-lost" aria-label="Permalink to &quot;data-lost&quot;">​</a></h1><p><strong>The server knows less than it did. Nobody here leads until you have decided what to do.</strong></p><ul><li>Diagnostic, level error</li></ul><h2 id="what-it-means" tabindex="-1">What it means <a class="header-anchor" href="#what-it-means" aria-label="Permalink to &quot;What it means&quot;">​</a></h2><p>etcd, ZooKeeper or a store has come back with an older state: restored from a backup, set up again, or a replica took over that had missed the last writes. Its tokens start again lower. A new leader with a low token would be refused by your fences, and the old one, with a high token, would be let in.</p><p>So this process refuses to lead with a token at or below one that it has seen. It keeps its place in the queue, so nobody behind it leads either.</p><h2 id="what-to-do" tabindex="-1">What to do <a class="header-anchor" href="#what-to-do" aria-label="Permalink to &quot;What to do&quot;">​</a></h2><ol><li>Make sure that the server now has the data that you want it to have.</li><li>Make every resource that checks tokens forget the old ones. For <code>postgresFence</code>: delete the row of the resource in <code>hustings.fence</code>.</li><li>Then restart the processes, or call <code>elector.request({ type: &#39;accept-lower-tokens&#39; })</code> in each.</li><li>With etcd 3.6 you can avoid all of it: restore with <code>etcdutl snapshot restore --bump-revision</code>.</li></ol><h2 id="see-also" tabindex="-1">See also <a class="header-anchor" href="#see-also" aria-label="Permalink to &quot;See also&quot;">​</a></h2><p><a href="./../electors/etcd.html">etcd</a>, <a href="./../operating/raft-cluster.html#backup">Backup and restore</a></p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("errors/data-lost.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const dataLost = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  dataLost as default
};
