import { resolveComponent, withCtx, createVNode, useSSRContext } from "vue";
import { ssrRenderAttrs, ssrRenderComponent, ssrRenderAttr } from "vue/server-renderer";
import { _ as _imports_0 } from "./playground-crash-desktop-light.DYkelvAo.js";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"4. Ring","description":"","frontmatter":{},"headers":[],"relativePath":"chapters/04-ring.md","filePath":"chapters/04-ring.md"}');
const _sfc_main = { name: "chapters/04-ring.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  const _component_PlaygroundFigure = resolveComponent("PlaygroundFigure");
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_4-ring" tabindex="-1">4. Ring <a class="header-anchor" href="#_4-ring" aria-label="Permalink to &quot;4. Ring&quot;">​</a></h1><p>The nodes stand in a circle, and each talks to the next. To elect, a message goes round.</p><ol><li>A node that misses the leader hands its neighbour a list with its own name on it.</li><li>Each node adds its name and hands the list on. A neighbour that does not acknowledge is passed over.</li><li>When the list is back, it has the name of everybody alive. The strongest on it is the leader, and a second message tells everybody.</li></ol><p>That is two rounds: 2<em>n</em> messages, where bully may need <em>n</em>². The price is time, because the messages go one after the other.</p><p>A variant of 1979 by Chang and Roberts sends only an id instead of a list, and lets weaker ones end early. If all nodes start at once, it takes <em>n</em> times the <em>n</em>th harmonic number messages on average.</p><h2 id="what-it-costs" tabindex="-1">What it costs <a class="header-anchor" href="#what-it-costs" aria-label="Permalink to &quot;What it costs&quot;">​</a></h2><table tabindex="0"><thead><tr><th>messages until the next one leads, of nodes</th><th>3</th><th>5</th><th>9</th><th>25</th><th>101</th></tr></thead><tbody><tr><td>ring</td><td>7</td><td>15</td><td>31</td><td>95</td><td>399</td></tr><tr><td>ring, <code>chang-roberts</code></td><td>7</td><td>15</td><td>31</td><td>95</td><td>399</td></tr></tbody></table><p>Medians after a crash, heartbeats left out, from <a href="https://github.com/hustings/hustings/blob/main/docs/data/simulated.json" target="_blank" rel="noreferrer"><code>simulated.json</code></a>.</p><p>Here is a crash of the leader under five electors at once. Bully and ring see its connections close and act at once; those with a lease wait until it is over.</p>`);
  _push(ssrRenderComponent(_component_PlaygroundFigure, { run: "scenario=crash&at=2099" }, {
    default: withCtx((_, _push2, _parent2, _scopeId) => {
      if (_push2) {
        _push2(`<img${ssrRenderAttr("src", _imports_0)} alt="The leader dies under five electors: bully and ring have a new leader within milliseconds, the others wait"${_scopeId}>`);
      } else {
        return [
          createVNode("img", {
            src: _imports_0,
            alt: "The leader dies under five electors: bully and ring have a new leader within milliseconds, the others wait"
          })
        ];
      }
    }),
    _: 1
  }, _parent));
  _push(`<h2 id="what-it-does-not-promise" tabindex="-1">What it does not promise <a class="header-anchor" href="#what-it-does-not-promise" aria-label="Permalink to &quot;What it does not promise&quot;">​</a></h2><p>The same as bully: when the network is partitioned, each side passes over the nodes that it cannot reach, closes a ring of its own and elects a leader. A leader that is paused leads on when it wakes, until it hears that it has been succeeded.</p><p><a href="./../electors/ring.html">The ring elector</a> has both variants, their rules, and how it keeps the ring whole.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("chapters/04-ring.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _04Ring = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _04Ring as default
};
