/**
 * A picture of the playground, and the run that it shows:
 *
 *     <!-- playground: scenario=partition&at=1298.7 -->
 *     ![Bully has two leaders, Raft one](../pictures/playground-partition.png)
 *
 * In plain Markdown that is a picture. In the site the run can be opened in its place.
 */

import type { MarkdownRenderer } from 'vitepress';

const mark = /^<!-- playground: (\S+) -->$/;

export function figures(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push('figures', (state) => {
    const { tokens } = state;
    for (let at = 0; at < tokens.length - 3; at += 1) {
      const [, run] = mark.exec(tokens[at]!.content.trim()) ?? [];
      if (tokens[at]!.type !== 'html_block' || run === undefined) continue;
      const [opened, closed] = [tokens[at + 1]!, tokens[at + 3]!];
      tokens[at]!.content = '';
      opened.type = 'html_block';
      opened.content = `<PlaygroundFigure run="${markdown.utils.escapeHtml(run)}">`;
      closed.type = 'html_block';
      closed.content = '</PlaygroundFigure>';
    }
  });
}
