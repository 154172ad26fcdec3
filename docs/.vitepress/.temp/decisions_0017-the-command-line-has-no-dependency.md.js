import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse(`{"title":"17. The command line reads its flags with Node's parseArgs","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0017-the-command-line-has-no-dependency.md","filePath":"decisions/0017-the-command-line-has-no-dependency.md"}`);
const _sfc_main = { name: "decisions/0017-the-command-line-has-no-dependency.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_17-the-command-line-reads-its-flags-with-node-s-parseargs" tabindex="-1">17. The command line reads its flags with Node&#39;s <code>parseArgs</code> <a class="header-anchor" href="#_17-the-command-line-reads-its-flags-with-node-s-parseargs" aria-label="Permalink to &quot;17. The command line reads its flags with Node&#39;s \`parseArgs\`&quot;">​</a></h1><p><strong>Decision.</strong> <code>hustings</code> uses <code>parseArgs</code> of <code>node:util</code> and a table of flags, not commander, which the private tools of this repository use.</p><p><strong>Why.</strong> The package is what users install; a dependency of theirs should be one that they would notice. There are four commands with flat flags. What commander adds, help and sentences for mistakes, is the smaller part of it, and its sentences had to be rewritten anyway: one sentence, which names the nearest flag.</p><p><strong>An elector is a row.</strong> The flag that chooses an elector also says where it is: <code>--etcd URLS</code>, <code>--zookeeper HOSTS</code>, <code>--raft HOST:PORT</code>. <code>--listen</code> is therefore free to mean one thing in all commands: where to answer over HTTP.</p><p><strong>Resigning goes over HTTP, too.</strong> <code>hustings resign</code> asks the sidecar (or a run with <code>--listen</code>) by <code>POST /resign</code>. A control socket would be one more thing to place and to protect. The endpoint may have to listen on all interfaces for a kubelet&#39;s probes, so this request is answered only where it comes from the loopback interface, and not from a page in a browser.</p><p><strong>A sidecar keeps its word.</strong> A process that asks <code>/leader</code> acts on the answer for a while. The answer says for how long it holds (<code>validForMs</code>, at most a second and never more than the lease), and a sidecar that resigns waits until the last answer has run out. So a hand-over takes up to a second longer, and two processes do not act at once although neither is under the sidecar&#39;s control.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("decisions/0017-the-command-line-has-no-dependency.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0017TheCommandLineHasNoDependency = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0017TheCommandLineHasNoDependency as default
};
