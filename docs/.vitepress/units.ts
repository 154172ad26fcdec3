/** A number and its unit stay on one line, in the site; in Markdown there is a plain space between them. */

import type { MarkdownRenderer } from 'vitepress';

const measure = /(\d) (ms|s|%)(?!\w)/g;

export function units(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push('units', ({ tokens }) => {
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      if (token.type === 'text') token.content = token.content.replace(measure, '$1\u00a0$2');
    }
  });
}
