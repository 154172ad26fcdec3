import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"22. A run is edited, never stepped","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0022-a-run-is-edited-never-stepped.md","filePath":"decisions/0022-a-run-is-edited-never-stepped.md"}');
const _sfc_main = { name: "decisions/0022-a-run-is-edited-never-stepped.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_22-a-run-is-edited-never-stepped" tabindex="-1">22. A run is edited, never stepped <a class="header-anchor" href="#_22-a-run-is-edited-never-stepped" aria-label="Permalink to &quot;22. A run is edited, never stepped&quot;">​</a></h1><p>The playground lets people break a run by hand, go back, try something else and send it to somebody.</p><p><strong>Decision.</strong> Nothing ever steps a live simulation. What hands do is a line of the schedule at the moment that is looked at, and the schedule is recorded again from the beginning. The page shows recordings, which do not change.</p><p><strong>Why.</strong> A run is a function of its schedule, so undo is the schedule before, a fork is a schedule without its later lines, side by side is one schedule for several electors, and a link is a schedule in one word. None of them needs machinery, and none can differ from what the command line replays. The alternative, a simulation that is paused and poked, would need a copy of every queue, clock and source of chance to go back to.</p><p><strong>What it asks of the simulator.</strong> A later fault must leave every earlier event as it was, byte for byte. Faults are planned before the run and draw no lot when they are planned, so they shift no draw of what comes before them. A property test holds every elector to it, with every word that hands have. The words <code>cut</code>, <code>drop</code>, <code>fire</code> and <code>latency</code> are not among what a search draws from: with them, every seed would stand for another run.</p><p><strong>What it costs.</strong> Recording again takes as long as the run: a few milliseconds for a scenario, seconds for 100,000 events. A message is dropped by its link and kind, not by its number, so that the line means the same when something before it has changed.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("decisions/0022-a-run-is-edited-never-stepped.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0022ARunIsEditedNeverStepped = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0022ARunIsEditedNeverStepped as default
};
