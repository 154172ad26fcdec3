import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse(`{"title":"19. The fence of PostgreSQL is shared by one leader's transactions","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0019-fences-share-their-row.md","filePath":"decisions/0019-fences-share-their-row.md"}`);
const _sfc_main = { name: "decisions/0019-fences-share-their-row.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_19-the-fence-of-postgresql-is-shared-by-one-leader-s-transactions" tabindex="-1">19. The fence of PostgreSQL is shared by one leader&#39;s transactions <a class="header-anchor" href="#_19-the-fence-of-postgresql-is-shared-by-one-leader-s-transactions" aria-label="Permalink to &quot;19. The fence of PostgreSQL is shared by one leader&#39;s transactions&quot;">​</a></h1><p><strong>Decision.</strong> <code>@hustings/fence/postgres</code> keeps one row a resource. A transaction of the newest leader locks it <code>FOR SHARE</code>; whoever raises the token changes it. The token is raised in a transaction of its own, before the first work of a leader, and <code>beforeLead</code> may end sessions that are in its way.</p><p><strong>Why.</strong> The comparison must hold until the commit: a transaction that was admitted and commits after a newer leader&#39;s has done what the fence is for. So something must be locked. An exclusive lock would do, and was the first version: all of a leader&#39;s transactions then run one after the other. <code>INSERT … ON CONFLICT DO UPDATE … WHERE false</code> locks exclusively as well, although it changes nothing, so it is tried only where the token is higher. With a shared lock first and a change after it, two transactions of a new leader would wait for each other.</p><p>The token is raised apart from the work because an older leader would otherwise wait for the end of that work before it learns that it is one, and because of <code>beforeLead</code>: it ends whoever has been admitted and has not finished. If a raise could be open for long, an older leader&#39;s <code>beforeLead</code> could not see it, and would end the newer one&#39;s work.</p><p>A session that was admitted is found by an advisory lock which it holds, shared, until its transaction ends: row locks are not in <code>pg_locks</code>.</p><p><strong>What it costs.</strong> One more transaction a leadership. A leader that is stuck within its transaction holds up the next one for <code>graceMs</code>, or, without <code>beforeLead</code>, until PostgreSQL ends it.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("decisions/0019-fences-share-their-row.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0019FencesShareTheirRow = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0019FencesShareTheirRow as default
};
