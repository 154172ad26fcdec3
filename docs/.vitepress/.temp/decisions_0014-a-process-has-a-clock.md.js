import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"14. A process has a clock, a node has not","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0014-a-process-has-a-clock.md","filePath":"decisions/0014-a-process-has-a-clock.md"}');
const _sfc_main = { name: "decisions/0014-a-process-has-a-clock.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_14-a-process-has-a-clock-a-node-has-not" tabindex="-1">14. A process has a clock, a node has not <a class="header-anchor" href="#_14-a-process-has-a-clock-a-node-has-not" aria-label="Permalink to &quot;14. A process has a clock, a node has not&quot;">​</a></h1><p>Monotonic clocks begin anew with each process. A Raft leader that restarted took an answer to its former process, which carried a time of the former clock, for a renewal that lay in the future, and led on beside its successor for 374 ms. No seed found it, since simulated clocks went on through a restart.</p><p>So, in three places:</p><ul><li><strong>The protocol</strong> does not rest on the drivers: a Raft refusal of an earlier term returns no time (<code>stale-term</code>), and what is numbered is numbered within a process.</li><li><strong>The drivers</strong> know processes, not names. Envelopes name the process at both ends; a transport tells which process a link leads to; a machine&#39;s messages go to the process that it was told of last, and what an earlier one said is not heard any more.</li><li><strong>The simulator</strong> draws a new origin for the clock of each process, lets connections stall and deliver after their sender has died, makes disks slow, and in a quarter of the runs tells the lives of a node apart no more than an old transport would. Its swarm restarts leaders while a connection stalls. With that, the search finds the former Raft broken within 6,000 seeds.</li></ul><p>Between a node and a coordinator lives are always told apart: the gateway dies with the process that it speaks for.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("decisions/0014-a-process-has-a-clock.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0014AProcessHasAClock = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0014AProcessHasAClock as default
};
