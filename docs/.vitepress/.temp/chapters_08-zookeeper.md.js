import { resolveComponent, withCtx, createVNode, useSSRContext } from "vue";
import { ssrRenderAttrs, ssrRenderComponent, ssrRenderAttr } from "vue/server-renderer";
import { _ as _imports_0$1 } from "./playground-middle-projector-light.D8ZFxuwA.js";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const _imports_0 = "/assets/playground-herd-projector-light.BUTvWEu9.png";
const __pageData = JSON.parse('{"title":"8. ZooKeeper","description":"","frontmatter":{},"headers":[],"relativePath":"chapters/08-zookeeper.md","filePath":"chapters/08-zookeeper.md"}');
const _sfc_main = { name: "chapters/08-zookeeper.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  const _component_PlaygroundFigure = resolveComponent("PlaygroundFigure");
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_8-zookeeper" tabindex="-1">8. ZooKeeper <a class="header-anchor" href="#_8-zookeeper" aria-label="Permalink to &quot;8. ZooKeeper&quot;">​</a></h1><p><a href="https://zookeeper.apache.org" target="_blank" rel="noreferrer">ZooKeeper</a> keeps a tree of small nodes, the <strong>znodes</strong>. A client has a <strong>session</strong>, and a znode can be <em>ephemeral</em>, which means that it goes with its session, and <em>sequential</em>, which means that it is given the next number.</p><ol><li>Each candidate creates an ephemeral sequential znode.</li><li>The lowest number leads. The zxid at which its znode was created is the fencing token.</li><li>Everybody else watches the znode just before its own.</li></ol><h2 id="watch-one-not-all" tabindex="-1">Watch one, not all <a class="header-anchor" href="#watch-one-not-all" aria-label="Permalink to &quot;Watch one, not all&quot;">​</a></h2><p>The first idea is that everybody watches the leader. When it goes, all are woken and all ask who is first now: the <strong>herd</strong>. With a queue, one is woken.</p>`);
  _push(ssrRenderComponent(_component_PlaygroundFigure, { run: "scenario=herd&at=3100" }, {
    default: withCtx((_, _push2, _parent2, _scopeId) => {
      if (_push2) {
        _push2(`<img${ssrRenderAttr("src", _imports_0)} alt="Twenty-five candidates: the queue wakes one, the herd wakes all"${_scopeId}>`);
      } else {
        return [
          createVNode("img", {
            src: _imports_0,
            alt: "Twenty-five candidates: the queue wakes one, the herd wakes all"
          })
        ];
      }
    }),
    _: 1
  }, _parent));
  _push(`<table tabindex="0"><thead><tr><th>messages until the next one leads, of nodes</th><th>3</th><th>5</th><th>9</th><th>25</th><th>101</th></tr></thead><tbody><tr><td>zookeeper</td><td>3</td><td>3</td><td>3</td><td>3</td><td>3</td></tr><tr><td>zookeeper, <code>herd</code></td><td>6</td><td>13</td><td>28</td><td>85</td><td>355</td></tr></tbody></table><p>Medians after a crash, heartbeats left out, from <a href="https://github.com/hustings/hustings/blob/main/docs/data/simulated.json" target="_blank" rel="noreferrer"><code>simulated.json</code></a>.</p><h2 id="look-again" tabindex="-1">Look again <a class="header-anchor" href="#look-again" aria-label="Permalink to &quot;Look again&quot;">​</a></h2><p>If the znode before yours goes, you are not necessarily the first: the one in the middle may have died. So look again before you lead. Real systems have left that out, and had two leaders.</p>`);
  _push(ssrRenderComponent(_component_PlaygroundFigure, { run: "scenario=middle&at=3000" }, {
    default: withCtx((_, _push2, _parent2, _scopeId) => {
      if (_push2) {
        _push2(`<img${ssrRenderAttr("src", _imports_0$1)} alt="The candidate in the middle of the queue dies, and the one behind it looks again instead of leading"${_scopeId}>`);
      } else {
        return [
          createVNode("img", {
            src: _imports_0$1,
            alt: "The candidate in the middle of the queue dies, and the one behind it looks again instead of leading"
          })
        ];
      }
    }),
    _: 1
  }, _parent));
  _push(`<h2 id="an-answer-is-not-a-proof" tabindex="-1">An answer is not a proof <a class="header-anchor" href="#an-answer-is-not-a-proof" aria-label="Permalink to &quot;An answer is not a proof&quot;">​</a></h2><p>Members of an ensemble answer reads by themselves, also when they have lost touch with the others. A client of such a member sees answers while its session has long expired. So a leader must not take any answer for a sign that its session lives. Only a write proves it, since it needs a majority, and even then only the time of the ping before it: the <a href="https://github.com/hustings/hustings/blob/main/packages/zookeeper/README.md" target="_blank" rel="noreferrer">README of the package</a> has the argument in six steps.</p><p>Candidates of Hustings stand in one queue with those of Apache Curator&#39;s LeaderLatch. <a href="./../electors/zookeeper.html">The ZooKeeper elector</a> has the settings and what was measured.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("chapters/08-zookeeper.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _08Zookeeper = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _08Zookeeper as default
};
