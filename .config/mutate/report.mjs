// What is kept of a run: the counts, and every survivor with the reason why nothing could have noticed it.

const detected = new Set(['Killed', 'Timeout']);
const undetected = new Set(['Survived', 'NoCoverage']);

/**
 * `mutants` as StrykerJS reports them, `equivalents` as packages keep them by hand, and `lineOf(file, number)`, which
 * reads a line of source. A mutant is known by what it does to which line, for line numbers do not last.
 */
export function summarize(mutants, equivalents, lineOf) {
  const killed = mutants.filter(({ status }) => detected.has(status)).length;
  const survivors = mutants
    .filter(({ status }) => undetected.has(status))
    .map((mutant) => survivorOf(mutant, equivalents, lineOf))
    .sort(
      (a, b) => a.file.localeCompare(b.file) || a.line - b.line || a.replacement.localeCompare(b.replacement),
    );
  const score = percentage(killed, killed + survivors.length);
  return { killed, survived: survivors.length, score, survivors };
}

function survivorOf({ fileName, location, mutatorName, replacement }, equivalents, lineOf) {
  const { line } = location.start;
  const mutant = {
    file: fileName,
    line,
    source: onOneLine(lineOf(fileName, line)),
    mutator: mutatorName,
    replacement: onOneLine(replacement ?? ''),
  };
  const known = equivalents.find((equivalent) =>
    ['file', 'source', 'mutator', 'replacement'].every((field) => equivalent[field] === mutant[field]),
  );
  return { ...mutant, reason: known?.reason ?? null };
}

const onOneLine = (text) => text.replace(/\s+/g, ' ').trim();

/** Rounded down: 95 means that it was reached. */
const percentage = (part, whole) => (whole === 0 ? 100 : Math.floor((1000 * part) / whole) / 10);

/** A line for people, and a line for each survivor that has no reason to live. */
export function describe(name, { killed, survived, score, survivors }) {
  const unexplained = survivors.filter(({ reason }) => reason === null);
  const equivalent = survived - unexplained.length;
  return [
    `${name}: ${score} % (${killed} killed; of ${survived} that survive ${equivalent} are known to be equivalent)`,
    ...unexplained.map(
      ({ file, line, source, mutator, replacement }) =>
        `  ${file}:${line} ${mutator}\n    ${source}\n    -> ${replacement}`,
    ),
  ].join('\n');
}
