import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"23. A release names its token, and comes before the next request","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0023-a-release-names-its-token.md","filePath":"decisions/0023-a-release-names-its-token.md"}');
const _sfc_main = { name: "decisions/0023-a-release-names-its-token.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_23-a-release-names-its-token-and-comes-before-the-next-request" tabindex="-1">23. A release names its token, and comes before the next request <a class="header-anchor" href="#_23-a-release-names-its-token-and-comes-before-the-next-request" aria-label="Permalink to &quot;23. A release names its token, and comes before the next request&quot;">​</a></h1><p>A request to a store may be carried out long after its sender has given it up: it waited in a client&#39;s queue, or on a connection that stalled. An acquire that comes late does little harm, since it gives a lease to a process that knows its own name and gives it back, or lets it run out. A release that comes late can do the worst: if it says only <em>whose</em> lease to free, it frees the one that the same process has been given since and leads with, and the next candidate leads beside it.</p><p>So a release names the token that it ends, and three rules follow:</p><ul><li><strong>A process that has sent a release asks for no lease until one of its releases is acknowledged.</strong> Then a later lease has another token, and whatever is still on its way ends nothing.</li><li><strong>Where the token is not known</strong> (the process resigns while its acquire is unanswered) <strong>it reads the lease first</strong>, and releases what it finds to be its own. This is why <code>LeaseStore</code> has a <code>read</code>, which a node that only wants to know who leads needs as well.</li><li><strong>A lease that nobody waits for any more is given back in the same way</strong>, with an acknowledgement, and not by a message that nobody watches.</li></ul><p>We considered a name for each candidacy instead of each process, so that a release could go by the holder alone. It would have saved the <code>read</code>, but a store shows its holder to people, who know processes, and every candidacy would have had to be remembered until its last message was certainly gone, which nobody can know.</p><p>The mutant <code>asks-before-it-has-released</code> and the invariant &#39;whoever gives its lease back does not lead before that is acknowledged&#39; stand guard.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("decisions/0023-a-release-names-its-token.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0023AReleaseNamesItsToken = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0023AReleaseNamesItsToken as default
};
