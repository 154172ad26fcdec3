import { resolveComponent, withCtx, createVNode, useSSRContext } from "vue";
import { ssrRenderAttrs, ssrRenderComponent, ssrRenderAttr } from "vue/server-renderer";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const _imports_0 = "/assets/playground-split-vote-projector-light.Y_QtXk2x.png";
const _imports_1 = "/assets/playground-pre-vote-projector-light.B9stV4TR.png";
const __pageData = JSON.parse('{"title":"5. Raft","description":"","frontmatter":{},"headers":[],"relativePath":"chapters/05-raft.md","filePath":"chapters/05-raft.md"}');
const _sfc_main = { name: "chapters/05-raft.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  const _component_PlaygroundFigure = resolveComponent("PlaygroundFigure");
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_5-raft" tabindex="-1">5. Raft <a class="header-anchor" href="#_5-raft" aria-label="Permalink to &quot;5. Raft&quot;">​</a></h1><p>Raft decides by <strong>majority</strong>, so it never elects two in one term, however the network is partitioned. It was made to be understood (D. Ongaro and J. Ousterhout, 2014), and needs no server: the nodes themselves are enough.</p><h2 id="terms-and-votes" tabindex="-1">Terms and votes <a class="header-anchor" href="#terms-and-votes" aria-label="Permalink to &quot;Terms and votes&quot;">​</a></h2><p>Time is cut into <strong>terms</strong>, numbered 1, 2, 3 … A term has one leader or none.</p><ol><li>A follower that has not heard from a leader for its <strong>election timeout</strong> becomes a candidate: it begins a new term and asks all others for their vote.</li><li>A node votes once in a term, for the first that asks, and writes that down on disk before it answers.</li><li>Whoever has the votes of a majority leads in that term. Two majorities share at least one node, and that node votes once: so there is one winner, or none.</li><li>The leader sends heartbeats. Whoever hears of a later term follows it.</li></ol><p>The term is the fencing token: it grows with every leader.</p><h2 id="a-split-vote" tabindex="-1">A split vote <a class="header-anchor" href="#a-split-vote" aria-label="Permalink to &quot;A split vote&quot;">​</a></h2><p>If several nodes lose patience at the same time, each votes for itself, and nobody has a majority. They try again. What ends it is chance: each draws its timeout from a range, so that one is earlier than the others the next time. If the range is too narrow, it takes long:</p>`);
  _push(ssrRenderComponent(_component_PlaygroundFigure, { run: "scenario=split-vote&at=700" }, {
    default: withCtx((_, _push2, _parent2, _scopeId) => {
      if (_push2) {
        _push2(`<img${ssrRenderAttr("src", _imports_0)} alt="Five candidates with nearly equal timeouts vote for themselves again and again"${_scopeId}>`);
      } else {
        return [
          createVNode("img", {
            src: _imports_0,
            alt: "Five candidates with nearly equal timeouts vote for themselves again and again"
          })
        ];
      }
    }),
    _: 1
  }, _parent));
  _push(`<h2 id="pre-vote" tabindex="-1">Pre-vote <a class="header-anchor" href="#pre-vote" aria-label="Permalink to &quot;Pre-vote&quot;">​</a></h2><p>A node that is cut off holds one election after another, all alone. Its term grows. When it comes back, its higher term makes the leader step down, who did nothing wrong. With <strong>pre-vote</strong> a candidate first asks whether it <em>could</em> win, and begins a term only if a majority says yes.</p>`);
  _push(ssrRenderComponent(_component_PlaygroundFigure, { run: "scenario=pre-vote&at=2400" }, {
    default: withCtx((_, _push2, _parent2, _scopeId) => {
      if (_push2) {
        _push2(`<img${ssrRenderAttr("src", _imports_1)} alt="A follower returns after a partition: without pre-vote it deposes the leader, with it nothing happens"${_scopeId}>`);
      } else {
        return [
          createVNode("img", {
            src: _imports_1,
            alt: "A follower returns after a partition: without pre-vote it deposes the leader, with it nothing happens"
          })
        ];
      }
    }),
    _: 1
  }, _parent));
  _push(`<h2 id="one-leader-at-a-time-not-only-in-a-term" tabindex="-1">One leader at a time, not only in a term <a class="header-anchor" href="#one-leader-at-a-time-not-only-in-a-term" aria-label="Permalink to &quot;One leader at a time, not only in a term&quot;">​</a></h2><p>Raft as published promises one leader in each <em>term</em>. An old leader that has not heard of the new term may believe for a while that it still leads. Hustings adds a <strong>lease</strong>: a leader stops by its own clock before any of those who answered it may vote for another. So there is one leader at a time, as long as clocks run at about the right speed: <a href="./06-leases.html">leases and clocks</a>.</p><h2 id="what-it-costs" tabindex="-1">What it costs <a class="header-anchor" href="#what-it-costs" aria-label="Permalink to &quot;What it costs&quot;">​</a></h2><table tabindex="0"><thead><tr><th>messages until the next one leads, of nodes</th><th>3</th><th>5</th><th>9</th><th>25</th><th>101</th></tr></thead><tbody><tr><td>raft</td><td>6</td><td>14</td><td>30</td><td>94</td><td>398</td></tr><tr><td>raft, <code>no-pre-vote</code></td><td>3</td><td>7</td><td>15</td><td>47</td><td>199</td></tr></tbody></table><p>Medians after a crash, heartbeats left out, from <a href="https://github.com/hustings/hustings/blob/main/docs/data/simulated.json" target="_blank" rel="noreferrer"><code>simulated.json</code></a>.</p><p>A majority must be alive: of three nodes two, of five three. <a href="./../electors/raft.html">The Raft elector</a> has the settings; <a href="./../operating/raft-cluster.html">Running a Raft cluster</a> has everything that an operator does; the <a href="https://github.com/hustings/hustings/blob/main/packages/raft/README.md" target="_blank" rel="noreferrer">README of the package</a> has the proof.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("chapters/05-raft.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _05Raft = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _05Raft as default
};
