import { resolveComponent, withCtx, createVNode, useSSRContext } from "vue";
import { ssrRenderAttrs, ssrRenderComponent, ssrRenderAttr } from "vue/server-renderer";
import { _ as _imports_0 } from "./playground-lease-projector-light.DGDfgH9o.js";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const _imports_1 = "/assets/playground-drift-projector-light.fCopoaQX.png";
const __pageData = JSON.parse('{"title":"6. Leases and clocks","description":"","frontmatter":{},"headers":[],"relativePath":"chapters/06-leases.md","filePath":"chapters/06-leases.md"}');
const _sfc_main = { name: "chapters/06-leases.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  const _component_PlaygroundFigure = resolveComponent("PlaygroundFigure");
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_6-leases-and-clocks" tabindex="-1">6. Leases and clocks <a class="header-anchor" href="#_6-leases-and-clocks" aria-label="Permalink to &quot;6. Leases and clocks&quot;">​</a></h1><p>A <strong>lease</strong> is an office for a limited time. The leader has it for, say, five seconds, and renews it again and again. If it dies, nobody has to find out: the time runs out, and somebody else may have it. Every elector of Hustings except bully and ring rests on leases.</p>`);
  _push(ssrRenderComponent(_component_PlaygroundFigure, { run: "scenario=lease&at=3200" }, {
    default: withCtx((_, _push2, _parent2, _scopeId) => {
      if (_push2) {
        _push2(`<img${ssrRenderAttr("src", _imports_0)} alt="A leader of etcd renews its lease, dies, and is replaced when the lease has run out"${_scopeId}>`);
      } else {
        return [
          createVNode("img", {
            src: _imports_0,
            alt: "A leader of etcd renews its lease, dies, and is replaced when the lease has run out"
          })
        ];
      }
    }),
    _: 1
  }, _parent));
  _push(`<p>The trouble is that two clocks measure the same lease: the leader&#39;s and the other side&#39;s. The leader must stop <em>before</em> the other side gives the lease away. So it pays attention to four things.</p><h2 id="_1-it-counts-from-when-it-asked" tabindex="-1">1. It counts from when it asked <a class="header-anchor" href="#_1-it-counts-from-when-it-asked" aria-label="Permalink to &quot;1. It counts from when it asked&quot;">​</a></h2><p>The leader sends a renewal, the server extends the lease, and the answer comes back. The lease counts from when the request <em>arrived</em>. The leader knows only when it <em>sent</em> it, and when the answer came. Counting from the answer would be too late, by as much as the answer was under way. So it counts from when it sent the request.</p><h2 id="_2-the-guard" tabindex="-1">2. The guard <a class="header-anchor" href="#_2-the-guard" aria-label="Permalink to &quot;2. The guard&quot;">​</a></h2><p>No two clocks run at the same speed. With a <strong>drift bound</strong> <em>d</em> of 1 %, a clock may measure 99 or 101 seconds where 100 have passed. If the leader&#39;s clock is slow and the server&#39;s fast, a lease of length <em>T</em> ends up to 2·<em>d</em>·<em>T</em> earlier than the leader thinks. So the leader stops that much earlier, and a little more for acting on it: the <strong>guard</strong>.</p><p>A clock that is off by more than the bound breaks the promise. Here the leader&#39;s clock runs at half speed:</p>`);
  _push(ssrRenderComponent(_component_PlaygroundFigure, { run: "scenario=drift&at=2800" }, {
    default: withCtx((_, _push2, _parent2, _scopeId) => {
      if (_push2) {
        _push2(`<img${ssrRenderAttr("src", _imports_1)} alt="A leader whose clock runs at half speed leads on after its lease is over"${_scopeId}>`);
      } else {
        return [
          createVNode("img", {
            src: _imports_1,
            alt: "A leader whose clock runs at half speed leads on after its lease is over"
          })
        ];
      }
    }),
    _: 1
  }, _parent));
  _push(`<p>The tokens still tell the two apart.</p><h2 id="_3-the-monotonic-clock" tabindex="-1">3. The monotonic clock <a class="header-anchor" href="#_3-the-monotonic-clock" aria-label="Permalink to &quot;3. The monotonic clock&quot;">​</a></h2><p>The wall clock is set by people and by NTP, forwards and backwards. Leases are measured with the monotonic clock, which only ever goes forward. Nobody compares one machine&#39;s time of day with another&#39;s.</p><h2 id="_4-pauses" tabindex="-1">4. Pauses <a class="header-anchor" href="#_4-pauses" aria-label="Permalink to &quot;4. Pauses&quot;">​</a></h2><p>A process that is paused does not run its timers. When it wakes, the lease may be long over, and the timer that should have said so fires a moment later. So <code>leadership.assertValid()</code> and <code>remainingMs</code> read the clock themselves. Between that check and the write the process can be paused again, which is why there are <a href="./02-fencing.html">fencing tokens</a>.</p><h2 id="the-rule-of-thirds" tabindex="-1">The rule of thirds <a class="header-anchor" href="#the-rule-of-thirds" aria-label="Permalink to &quot;The rule of thirds&quot;">​</a></h2><p>Renew after a third of the lease. Then one renewal may fail altogether and the next still comes in time. Renew later, and a leader that dies has less of its lease left, so that it is replaced sooner; but there is less time for a slow answer. <a href="./11-fast-failover.html">Heirs</a> are the better way to be replaced soon.</p><p>What is left between the renewal and the deadline, less the guard, is the <strong>slack</strong>: how late a renewal may be.</p><blockquote><p>slack = TTL − time to the renewal − guard</p></blockquote><p>A pause longer than the slack costs the leadership. A longer TTL has more slack and a slower failover. The <a href="./../ttl.html">TTL calculator</a> finds the balance.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("chapters/06-leases.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _06Leases = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _06Leases as default
};
