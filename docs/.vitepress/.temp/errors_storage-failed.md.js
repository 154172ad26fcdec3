import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"storage-failed","description":"","frontmatter":{},"headers":[],"relativePath":"errors/storage-failed.md","filePath":"errors/storage-failed.md"}');
const _sfc_main = { name: "errors/storage-failed.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="storage-failed" tabindex="-1">storage-failed <a class="header-anchor" href="#storage-failed" aria-label="Permalink to &quot;storage-failed&quot;">​</a></h1><p><strong>The node could not read or write what it must not forget, and has left the election.</strong></p><ul><li>Error <code>StorageFailedError</code>, code <code>HUSTINGS_STORAGE_FAILED</code></li><li>Diagnostic, level error</li><li>Reason: why a leader stopped leading</li></ul><h2 id="what-it-means" tabindex="-1">What it means <a class="header-anchor" href="#what-it-means" aria-label="Permalink to &quot;What it means&quot;">​</a></h2><p>A node of Raft, bully or ring writes its promises to <code>directory</code> before it acts on them. If that write fails, the node cannot keep its promises, so it stops leading, closes its connections and takes no further part. The others elect somebody else. After one failed write every later one fails too: a disk that has lied once is not asked again.</p><p>The message says which of these happened:</p><ul><li>the disk is full, or the file system is read-only;</li><li>another process on this machine uses the same directory;</li><li>the file was deleted, moved or replaced while it was in use;</li><li>the file is damaged.</li></ul><h2 id="what-to-do" tabindex="-1">What to do <a class="header-anchor" href="#what-to-do" aria-label="Permalink to &quot;What to do&quot;">​</a></h2><ol><li>Read the message: it names the file and the cause.</li><li><em>Full or read-only</em>: make room, then restart the process.</li><li><em>In use</em>: stop the other process, or give this node a directory of its own.</li><li><em>Damaged</em>: do not delete the file and start again under the same id. A node that forgets its vote can vote twice, and two leaders are possible. <a href="./../operating/raft-cluster.html#replacing-a-node">Replace the node</a> under a new id instead.</li></ol><h2 id="see-also" tabindex="-1">See also <a class="header-anchor" href="#see-also" aria-label="Permalink to &quot;See also&quot;">​</a></h2><p><a href="./../operating/raft-cluster.html">Running a Raft cluster</a></p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("errors/storage-failed.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const storageFailed = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  storageFailed as default
};
