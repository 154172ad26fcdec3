import { ssrRenderAttrs, ssrRenderStyle } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Start here","description":"","frontmatter":{},"headers":[],"relativePath":"start/index.md","filePath":"start/index.md"}');
const _sfc_main = { name: "start/index.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="start-here" tabindex="-1">Start here <a class="header-anchor" href="#start-here" aria-label="Permalink to &quot;Start here&quot;">​</a></h1><p>Hustings elects a leader among processes. You need Node.js 20.19 or newer. Each of these pages starts in an empty folder and takes about five minutes.</p><table tabindex="0"><thead><tr><th>you have</th><th>read</th></tr></thead><tbody><tr><td>one machine</td><td><a href="./one-machine.html">One machine</a></td></tr><tr><td>several machines and nothing else</td><td><a href="./raft.html">Raft</a></td></tr><tr><td>etcd</td><td><a href="./etcd.html">etcd</a></td></tr><tr><td>PostgreSQL</td><td><a href="./postgres.html">PostgreSQL, with a fenced write</a></td></tr><tr><td>something else, or no idea</td><td><a href="./../choosing.html">Choosing</a></td></tr></tbody></table><h2 id="in-a-clone-of-this-repository" tabindex="-1">In a clone of this repository <a class="header-anchor" href="#in-a-clone-of-this-repository" aria-label="Permalink to &quot;In a clone of this repository&quot;">​</a></h2><p>The programs of these pages are in <a href="https://github.com/hustings/hustings/tree/main/docs/examples" target="_blank" rel="noreferrer"><code>docs/examples</code></a>. In a clone they run without installing anything from npm:</p><div class="language-sh vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">sh</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span style="${ssrRenderStyle({ "--shiki-light": "#6F42C1", "--shiki-dark": "#B392F0" })}">npm</span><span style="${ssrRenderStyle({ "--shiki-light": "#032F62", "--shiki-dark": "#9ECBFF" })}"> ci</span><span style="${ssrRenderStyle({ "--shiki-light": "#24292E", "--shiki-dark": "#E1E4E8" })}"> &amp;&amp; </span><span style="${ssrRenderStyle({ "--shiki-light": "#6F42C1", "--shiki-dark": "#B392F0" })}">npm</span><span style="${ssrRenderStyle({ "--shiki-light": "#032F62", "--shiki-dark": "#9ECBFF" })}"> run</span><span style="${ssrRenderStyle({ "--shiki-light": "#032F62", "--shiki-dark": "#9ECBFF" })}"> build</span></span>
<span class="line"><span style="${ssrRenderStyle({ "--shiki-light": "#6F42C1", "--shiki-dark": "#B392F0" })}">node</span><span style="${ssrRenderStyle({ "--shiki-light": "#032F62", "--shiki-dark": "#9ECBFF" })}"> docs/examples/start-local.mjs</span><span style="${ssrRenderStyle({ "--shiki-light": "#032F62", "--shiki-dark": "#9ECBFF" })}"> worker-1</span></span></code></pre></div><h2 id="what-an-election-cannot-do" tabindex="-1">What an election cannot do <a class="header-anchor" href="#what-an-election-cannot-do" aria-label="Permalink to &quot;What an election cannot do&quot;">​</a></h2><p>A process that is paused at the wrong moment wakes up and goes on where it was, even if another process leads by then. No election can prevent that. What can is the resource that you write to, if it refuses an old <em>fencing token</em>. Read <a href="./../chapters/02-fencing.html">chapter 2</a> before you go to production.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("start/index.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const index = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  index as default
};
