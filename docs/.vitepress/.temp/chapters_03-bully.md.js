import { resolveComponent, withCtx, createVNode, useSSRContext } from "vue";
import { ssrRenderAttrs, ssrRenderComponent, ssrRenderAttr } from "vue/server-renderer";
import { _ as _imports_0 } from "./playground-one-way-projector-light.DPFjxJjZ.js";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"3. Bully","description":"","frontmatter":{},"headers":[],"relativePath":"chapters/03-bully.md","filePath":"chapters/03-bully.md"}');
const _sfc_main = { name: "chapters/03-bully.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  const _component_PlaygroundFigure = resolveComponent("PlaygroundFigure");
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_3-bully" tabindex="-1">3. Bully <a class="header-anchor" href="#_3-bully" aria-label="Permalink to &quot;3. Bully&quot;">​</a></h1><p>Every node knows all others, and every node has a rank. The rule is that of the schoolyard: <strong>the strongest that is alive leads.</strong></p><ol><li>A node that misses the leader asks every stronger node: are you there?</li><li>If one answers, it stands back. The stronger one now does the same with those above it.</li><li>If none answers in time, it is the strongest alive. It tells everybody that it leads.</li></ol><p>When a stronger node comes back, it takes over, whether or not anybody misses it. Hence the name.</p><h2 id="what-it-costs" tabindex="-1">What it costs <a class="header-anchor" href="#what-it-costs" aria-label="Permalink to &quot;What it costs&quot;">​</a></h2><p>With <em>m</em> nodes stronger than the one that notices, a failover takes <em>m</em>² + <em>n</em> − 2 messages of <em>n</em> nodes. If all notice at once, as when a process dies and its connections close, that is the worst case, and it is quadratic:</p><table tabindex="0"><thead><tr><th>messages until the next one leads, of nodes</th><th>3</th><th>5</th><th>9</th><th>25</th><th>101</th></tr></thead><tbody><tr><td>bully</td><td>5</td><td>19</td><td>71</td><td>599</td><td>10,099</td></tr></tbody></table><p>Medians after a crash, heartbeats left out, from <a href="https://github.com/hustings/hustings/blob/main/docs/data/simulated.json" target="_blank" rel="noreferrer"><code>simulated.json</code></a>.</p><p>The time is one timeout: nobody knows that the stronger ones are dead until they have been silent for twice the longest delay of a message.</p><h2 id="what-it-does-not-promise" tabindex="-1">What it does not promise <a class="header-anchor" href="#what-it-does-not-promise" aria-label="Permalink to &quot;What it does not promise&quot;">​</a></h2><p>It decides by who <em>answers</em>, so it takes &#39;does not answer me&#39; for &#39;is dead&#39;. When the network is partitioned, that is wrong on both sides, and each side has a leader.</p><p>Half a failure confuses it as well. Here the leader can send but not hear. Its heartbeats arrive everywhere, so nobody replaces it, though it is deaf:</p>`);
  _push(ssrRenderComponent(_component_PlaygroundFigure, { run: "scenario=one-way&at=1600" }, {
    default: withCtx((_, _push2, _parent2, _scopeId) => {
      if (_push2) {
        _push2(`<img${ssrRenderAttr("src", _imports_0)} alt="A leader that sends but does not hear: bully keeps it, Raft replaces it"${_scopeId}>`);
      } else {
        return [
          createVNode("img", {
            src: _imports_0,
            alt: "A leader that sends but does not hear: bully keeps it, Raft replaces it"
          })
        ];
      }
    }),
    _: 1
  }, _parent));
  _push(`<p>Use it to learn from, to measure against, or where two leaders at once do no harm. Source: H. Garcia-Molina, <em>Elections in a Distributed Computing System</em>, 1982.</p><p><a href="./../electors/bully.html">The bully elector</a> has its rules as a table, its settings, and where it differs from the paper.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("chapters/03-bully.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _03Bully = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _03Bully as default
};
