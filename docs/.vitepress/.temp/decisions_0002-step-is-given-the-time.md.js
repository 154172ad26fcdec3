import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"2. step is given the time","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0002-step-is-given-the-time.md","filePath":"decisions/0002-step-is-given-the-time.md"}');
const _sfc_main = { name: "decisions/0002-step-is-given-the-time.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_2-step-is-given-the-time" tabindex="-1">2. <code>step</code> is given the time <a class="header-anchor" href="#_2-step-is-given-the-time" aria-label="Permalink to &quot;2. \`step\` is given the time&quot;">​</a></h1><p><strong>Decision.</strong> <code>step(state, input, nowMs)</code>: the driver&#39;s monotonic clock is an argument. Algorithms that need no time take two parameters. A driver whose lease deadline has passed ends the Leadership itself and then tells the protocol with the input <code>lease-expired</code>.</p><p><strong>Why.</strong> A lease must count from the moment at which the successful request was <em>sent</em>. A protocol without a clock cannot know that moment; with the reading as an argument it can keep it in its state, stays a pure function, and replays exactly. The alternatives were marks that the driver remembers, which move part of the algorithm into the driver, and timestamps inside messages, which trust other nodes&#39; clocks.</p><p>In the model checker <code>nowMs</code> is always 0: leases are checked in the simulator, where clocks drift.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("decisions/0002-step-is-given-the-time.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0002StepIsGivenTheTime = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0002StepIsGivenTheTime as default
};
