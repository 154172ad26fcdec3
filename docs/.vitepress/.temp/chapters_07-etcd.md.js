import { resolveComponent, withCtx, createVNode, useSSRContext } from "vue";
import { ssrRenderAttrs, ssrRenderComponent, ssrRenderAttr } from "vue/server-renderer";
import { _ as _imports_0 } from "./playground-lease-projector-light.DGDfgH9o.js";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"7. etcd","description":"","frontmatter":{},"headers":[],"relativePath":"chapters/07-etcd.md","filePath":"chapters/07-etcd.md"}');
const _sfc_main = { name: "chapters/07-etcd.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  const _component_PlaygroundFigure = resolveComponent("PlaygroundFigure");
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_7-etcd" tabindex="-1">7. etcd <a class="header-anchor" href="#_7-etcd" aria-label="Permalink to &quot;7. etcd&quot;">​</a></h1><p><a href="https://etcd.io" target="_blank" rel="noreferrer">etcd</a> is a small database that is replicated with Raft. If you have one, your own processes need not vote: they take a number and wait.</p><ol><li>Each candidate gets a <strong>lease</strong> and puts a <strong>key</strong> that is bound to it. When the lease ends, the key goes.</li><li>etcd gives every write a number, the revision, which only grows. The candidate with the <strong>oldest key</strong> leads. The revision at which its key was created is the fencing token.</li><li>Everybody else waits for the key <em>just before</em> its own. When that goes, it looks again: it may be the first now, or the one in the middle may have died.</li></ol><p>It is a queue. When a leader goes, one candidate is woken, however many wait:</p><table tabindex="0"><thead><tr><th>messages until the next one leads, of nodes</th><th>3</th><th>5</th><th>9</th><th>25</th><th>101</th></tr></thead><tbody><tr><td>etcd</td><td>1</td><td>1</td><td>1</td><td>1</td><td>1</td></tr><tr><td>etcd, <code>race</code></td><td>8</td><td>16</td><td>30</td><td>86</td><td>345</td></tr></tbody></table><p>Medians after a crash, heartbeats left out, from <a href="https://github.com/hustings/hustings/blob/main/docs/data/simulated.json" target="_blank" rel="noreferrer"><code>simulated.json</code></a>.</p><p>The variant <code>race</code> is the textbook&#39;s: one key, and everybody runs for it when it goes.</p><h2 id="what-can-go-wrong" tabindex="-1">What can go wrong <a class="header-anchor" href="#what-can-go-wrong" aria-label="Permalink to &quot;What can go wrong&quot;">​</a></h2><ul><li><strong>The leader cannot reach etcd.</strong> It leads for the rest of its lease, less the guard, and stops. Then etcd lets the key go, and the next one leads.</li><li><strong>The leader dies.</strong> The same, and nobody is told sooner: etcd only knows that nobody has renewed. That is why a crash under etcd takes a lease, where bully needs milliseconds; and why bully has two leaders when the network is partitioned, and etcd has not.</li><li><strong>etcd has no majority.</strong> Nobody can renew, so soon nobody leads. An election cannot be more available than what it rests on.</li><li><strong>etcd loses its data.</strong> Revisions begin again, and so would tokens. Hustings notices, stops, and asks you: <a href="./../errors/data-lost.html">data-lost</a>.</li></ul>`);
  _push(ssrRenderComponent(_component_PlaygroundFigure, { run: "scenario=lease&at=3200" }, {
    default: withCtx((_, _push2, _parent2, _scopeId) => {
      if (_push2) {
        _push2(`<img${ssrRenderAttr("src", _imports_0)} alt="The leader&#39;s lease runs out, and the next in the queue leads"${_scopeId}>`);
      } else {
        return [
          createVNode("img", {
            src: _imports_0,
            alt: "The leader's lease runs out, and the next in the queue leads"
          })
        ];
      }
    }),
    _: 1
  }, _parent));
  _push(`<p>Candidates of Hustings stand in one queue with those of etcd&#39;s own client for Go and of <code>etcdctl elect</code>. <a href="./../electors/etcd.html">The etcd elector</a> has the settings and what was measured.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("chapters/07-etcd.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _07Etcd = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _07Etcd as default
};
