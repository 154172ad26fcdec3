import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"16. A keeper ends the command of hustings run","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0016-a-keeper-ends-the-command.md","filePath":"decisions/0016-a-keeper-ends-the-command.md"}');
const _sfc_main = { name: "decisions/0016-a-keeper-ends-the-command.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_16-a-keeper-ends-the-command-of-hustings-run" tabindex="-1">16. A keeper ends the command of <code>hustings run</code> <a class="header-anchor" href="#_16-a-keeper-ends-the-command-of-hustings-run" aria-label="Permalink to &quot;16. A keeper ends the command of \`hustings run\`&quot;">​</a></h1><p><strong>Decision.</strong> The command is started and ended by a process of its own, the keeper. The process that leads tells it, at each renewal of the lease, when to send SIGTERM and when to send SIGKILL; all processes of a machine share one monotonic clock. When it hears no more, it does both at the times it knows. The command runs in a session of its own, and signals go to its whole process group.</p><p><strong>Why.</strong> <code>hustings run</code> promises that the command is dead before another node may lead. A timer in the leading process cannot keep that promise: while the process is stopped (SIGSTOP, a debugger), stalled or killed, the command runs on, and nobody is left to end it. Linux could kill a child with its parent (<code>PR_SET_PDEATHSIG</code>), but Node cannot ask for it, it does not reach grandchildren, and a stopped parent is not dead. The keeper covers all of these by one mechanism, which is also the usual way that a command ends: loss of etcd is nothing else than a lease that is not renewed.</p><p><strong>When.</strong> With <em>L</em> the lease just after a renewal: SIGKILL at <em>L</em>/20 before the lease ends, for a busy machine may be late, and SIGTERM at <em>L</em>/5 before that, or what <code>--grace-ms</code> says, up to <em>L</em>/4. More would not do: etcd&#39;s lease is renewed when 0.37 of <em>L</em> are left, ZooKeeper&#39;s when 0.41 are, and a command must not be ended while all is well.</p><p><strong>A gate.</strong> The keeper starts a shell that waits, tells the leading process its number, and lets the shell become the command only when that is acknowledged. Without it, a keeper that was killed at the wrong moment left a command of which nobody knew the number; a test found that.</p><p><strong>What it costs.</strong> A second process of Node, about 40 MB. A command that leaves its process group (<code>setsid</code>) escapes. And where the whole machine is frozen, command and keeper wake up together: for some milliseconds the command may act although another node leads. Only the fencing token protects against that.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("decisions/0016-a-keeper-ends-the-command.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0016AKeeperEndsTheCommand = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0016AKeeperEndsTheCommand as default
};
