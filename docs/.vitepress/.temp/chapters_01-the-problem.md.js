import { resolveComponent, withCtx, createVNode, useSSRContext } from "vue";
import { ssrRenderAttrs, ssrRenderComponent, ssrRenderAttr } from "vue/server-renderer";
import { _ as _imports_0 } from "./playground-partition-projector-light.DuwyCvFH.js";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"1. One leader, and split brain","description":"","frontmatter":{},"headers":[],"relativePath":"chapters/01-the-problem.md","filePath":"chapters/01-the-problem.md"}');
const _sfc_main = { name: "chapters/01-the-problem.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  const _component_PlaygroundFigure = resolveComponent("PlaygroundFigure");
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_1-one-leader-and-split-brain" tabindex="-1">1. One leader, and split brain <a class="header-anchor" href="#_1-one-leader-and-split-brain" aria-label="Permalink to &quot;1. One leader, and split brain&quot;">​</a></h1><p>Some work must be done by one process at a time: sending the invoices, running the migration, owning a partition of a queue. You could run just one process. But when it dies, nobody does the work until a person notices. So you run several, and let them agree which of them works: the <strong>leader</strong>. The others, the <strong>followers</strong>, wait. When the leader dies, they elect another. That is leader election.</p><p>It sounds easy. Here is why it is not.</p><h2 id="dead-or-merely-silent" tabindex="-1">Dead or merely silent? <a class="header-anchor" href="#dead-or-merely-silent" aria-label="Permalink to &quot;Dead or merely silent?&quot;">​</a></h2><p>A follower knows that the leader is alive because it hears from it. When it hears nothing, one of these is true:</p><ul><li>the leader is dead;</li><li>the leader is paused, and will go on in a moment;</li><li>the leader is well, and the network between the two is not.</li></ul><p><strong>From outside these look the same.</strong> There is no message that tells them apart, because a message is exactly what does not arrive. A follower that waits too long leaves the work undone. A follower that acts too soon starts a second leader beside the first. Two leaders at once is called <strong>split brain</strong>.</p><h2 id="what-a-partition-does" tabindex="-1">What a partition does <a class="header-anchor" href="#what-a-partition-does" aria-label="Permalink to &quot;What a partition does&quot;">​</a></h2><p>When the network is partitioned, each side hears only itself. If each side elects a leader, there are two: both send the invoices.</p>`);
  _push(ssrRenderComponent(_component_PlaygroundFigure, { run: "scenario=partition&at=1298.7" }, {
    default: withCtx((_, _push2, _parent2, _scopeId) => {
      if (_push2) {
        _push2(`<img${ssrRenderAttr("src", _imports_0)} alt="Five nodes under bully and five under Raft, the same partition: bully has a leader on each side, Raft has one"${_scopeId}>`);
      } else {
        return [
          createVNode("img", {
            src: _imports_0,
            alt: "Five nodes under bully and five under Raft, the same partition: bully has a leader on each side, Raft has one"
          })
        ];
      }
    }),
    _: 1
  }, _parent));
  _push(`<p>There is one cure: a rule by which at most one side can elect. The usual rule is the <strong>majority</strong>. Two groups that each have more than half of the nodes would overlap, so there can be only one such group. The price is that a side without a majority has no leader, even if all its nodes are well. That is not a shortcoming of the algorithm: a side that cannot know what the other does must not act.</p><h2 id="what-was-measured" tabindex="-1">What was measured <a class="header-anchor" href="#what-was-measured" aria-label="Permalink to &quot;What was measured&quot;">​</a></h2><p>Five nodes, and the network is partitioned. The same fault, the same budget to notice it, many trials each:</p><table tabindex="0"><thead><tr><th>elector</th><th>trials</th><th>with two leaders</th><th>stale writes taken</th><th>the same with a fence</th></tr></thead><tbody><tr><td>bully</td><td>200</td><td>200</td><td>65,291</td><td>0</td></tr><tr><td>ring</td><td>200</td><td>200</td><td>64,330</td><td>0</td></tr><tr><td>raft</td><td>200</td><td>0</td><td>0</td><td>0</td></tr><tr><td>zookeeper</td><td>200</td><td>0</td><td>0</td><td>0</td></tr><tr><td>etcd</td><td>200</td><td>0</td><td>0</td><td>0</td></tr><tr><td>lease</td><td>200</td><td>0</td><td>0</td><td>0</td></tr></tbody></table><p>From <a href="https://github.com/hustings/hustings/blob/main/docs/data/simulated.json" target="_blank" rel="noreferrer"><code>simulated.json</code></a>.</p><p>Bully and ring ask nobody outside of their own side, so they elect two, every time. They are fast, short and worth learning, and this is what they cost.</p><h2 id="what-an-election-can-promise" tabindex="-1">What an election can promise <a class="header-anchor" href="#what-an-election-can-promise" aria-label="Permalink to &quot;What an election can promise&quot;">​</a></h2><ul><li><strong>Safety</strong>: never two leaders at once. Raft, etcd, ZooKeeper and most stores promise it, as long as clocks run at about the right speed.</li><li><strong>Liveness</strong>: if enough nodes are alive and can talk, somebody leads soon.</li></ul><p>Nothing can promise both at every moment in every network; that has been proven (Fischer, Lynch and Paterson, 1985). What good electors do is to be safe always, and live whenever the network allows it.</p><p>But even perfect safety is not enough. <a href="./02-fencing.html">The next chapter</a> says why.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("chapters/01-the-problem.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _01TheProblem = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _01TheProblem as default
};
