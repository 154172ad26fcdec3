import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"27. Student code runs together with its grader","description":"","frontmatter":{},"headers":[],"relativePath":"decisions/0027-student-code-runs-with-its-grader.md","filePath":"decisions/0027-student-code-runs-with-its-grader.md"}');
const _sfc_main = { name: "decisions/0027-student-code-runs-with-its-grader.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="_27-student-code-runs-together-with-its-grader" tabindex="-1">27. Student code runs together with its grader <a class="header-anchor" href="#_27-student-code-runs-together-with-its-grader" aria-label="Permalink to &quot;27. Student code runs together with its grader&quot;">​</a></h1><p><strong>Question.</strong> A student&#39;s protocol is called hundreds of thousands of times in a grading. Where does it run, and where does the grader?</p><p><strong>Decision.</strong> Both run in one child process, the student&#39;s file inside a <code>node:vm</code> context. The parent compiles the file, starts the child with Node&#39;s permission model, an empty environment, a memory limit and a list of readable folders, listens to lines on a pipe of its own, and ends a child that has been silent for too long. A child that had to be ended is started again with a log of every call, so that the student is told which call did not return.</p><p><strong>Why not apart?</strong> A message to another process for each <code>step</code> costs more than the step: a grading would take a minute instead of a second. A worker thread has no permissions of its own, and a thread that loops for ever cannot be told what it was doing.</p><p><strong>Why <code>vm</code> at all?</strong> To give each file the language without the machine: <code>Date</code>, <code>Math.random</code> and <code>setTimeout</code> throw a sentence that says what to do instead, imports are limited, and nothing that one file does to its globals can disturb the grader.</p><p><strong>What it costs.</strong> It is no prison. A file that is written to break out of <code>vm</code> finds the grader, and can lie about its points; the permissions keep it from files, processes and threads, but on Node 20 not from the network. The READMEs say so, and that marks for strangers&#39; code are given in a container.</p><p><strong>Types are taken away, not checked.</strong> The file is compiled with the transformer that Vite brings along, in a millisecond; source maps lead back to the student&#39;s lines. Editors check types as one writes, and <code>guarded</code> says at run time what a type error would have said.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("decisions/0027-student-code-runs-with-its-grader.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0027StudentCodeRunsWithItsGrader = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  _0027StudentCodeRunsWithItsGrader as default
};
