import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Operating it","description":"","frontmatter":{},"headers":[],"relativePath":"operating/index.md","filePath":"operating/index.md"}');
const _sfc_main = { name: "operating/index.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="operating-it" tabindex="-1">Operating it <a class="header-anchor" href="#operating-it" aria-label="Permalink to &quot;Operating it&quot;">​</a></h1><table tabindex="0"><thead><tr><th>to</th><th>read</th></tr></thead><tbody><tr><td>understand a line in the log</td><td><a href="./../errors/">Errors and diagnostics</a>: a page for each</td></tr><tr><td>know what to alert on</td><td><a href="./alerts.html">Alerts and metrics</a></td></tr><tr><td>stop without a gap</td><td><a href="./shutdown.html">Shutting down</a></td></tr><tr><td>run it in Kubernetes</td><td><a href="./kubernetes.html">Kubernetes</a></td></tr><tr><td>run it under systemd, or in Docker</td><td><a href="./systemd.html">systemd</a>, <a href="./docker.html">Docker</a></td></tr><tr><td>add, replace, upgrade or rescue Raft nodes</td><td><a href="./raft-cluster.html">Running a Raft cluster</a></td></tr><tr><td>choose timeouts, near or far</td><td><a href="./../ttl.html">TTL calculator</a>, <a href="./wan.html">Timeouts on a WAN</a></td></tr><tr><td>keep strangers out</td><td><a href="./security.html">Security</a></td></tr></tbody></table><h2 id="at-three-in-the-morning" tabindex="-1">At three in the morning <a class="header-anchor" href="#at-three-in-the-morning" aria-label="Permalink to &quot;At three in the morning&quot;">​</a></h2><ol><li><strong>Does anybody lead?</strong> <code>npx hustings observe --sidecar http://127.0.0.1:4040</code>, or the metric <code>hustings.leader</code> of all nodes.</li><li><strong>Yes, and it keeps changing</strong>: look for <code>leads no more (…)</code> in the logs. The word in brackets has a page: most often <a href="./../errors/lease-expired.html">lease-expired</a>.</li><li><strong>No</strong>: look for <a href="./../errors/no-leader.html">no-leader</a>, <a href="./../errors/quorum-lost.html">quorum-lost</a>, <a href="./../errors/unreachable.html">unreachable</a>, <a href="./../errors/data-lost.html">data-lost</a> and <a href="./../errors/blocked.html">blocked</a>.</li><li><strong>Two seem to lead</strong>: look at the tokens. The one with the lower token is stale, and a fenced resource refuses it. If both are real and the elector declares <code>atMostOneLeader</code>, a clock is far off, or it is a bug: keep the logs.</li><li><strong>Do not delete state directories, keys, znodes or rows</strong> to get going again. Each page says what may be deleted, and what that costs.</li></ol></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("operating/index.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const index = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  index as default
};
