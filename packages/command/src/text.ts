/** Where nobody says how wide a line may be. */
const usualColumns = 80;
const leastColumns = 40;

/** How wide a line may be on this stream. */
export function columnsOf({ columns = usualColumns }: { readonly columns?: number }): number {
  return Math.max(leastColumns, columns);
}

/**
 * The same text in lines of at most so many columns, broken between words and indented as they were. A command stays
 * whole, on a line of its own: it is there to be copied.
 */
export function wrapped(text: string, columns: number): string {
  return text
    .split('\n')
    .flatMap((line) => wrapLine(line, columns))
    .join('\n');
}

function wrapLine(line: string, columns: number): string[] {
  if (line.length <= columns) return [line];
  const [, indent = '', label = '', command] = /^(\s*)(.*?)\s*(npm run .*)?$/.exec(line) ?? [];
  // A paragraph is a block; what was indented is a list, and its lines are told apart.
  const hanging = indent === '' ? '' : `${indent}  `;
  const lines = label === '' ? [] : wrapWords(label, indent, hanging, columns);
  return command === undefined ? lines : [...lines, command];
}

function wrapWords(text: string, indent: string, hanging: string, columns: number): string[] {
  const lines: string[] = [];
  let line = indent;
  for (const word of text.split(' ')) {
    const isFirst = line.trim() === '';
    if (!isFirst && line.length + 1 + word.length > columns) {
      lines.push(line);
      line = `${hanging}${word}`;
    } else {
      line += isFirst ? word : ` ${word}`;
    }
  }
  return [...lines, line];
}
