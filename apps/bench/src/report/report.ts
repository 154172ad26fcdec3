import { type Chart, drawFailovers, drawMessages, drawOverlap, nameOf } from './charts.js';
import { escapeHtml } from './html.js';
import {
  type Column,
  columnsOf,
  describeRun,
  familiarSize,
  footnotes,
  headlines,
  verdictsByAlgorithm,
} from './presentation.js';
import type { Results, Row } from './results.js';
import { renderValidation } from './validation.js';
import { type Verdict, verdictHeadings, verdictsByVariant } from './verdict-table.js';

/** One file that needs nothing else: it can be mailed, printed, and opened in twenty years. */
export function renderReport(results: Results): string {
  const { mode, rows, commit, machine, wallMs } = results;
  const title = `Hustings: leader election, ${mode}`;
  const columns = columnsOf(rows);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
${[describeRun(results), ...footnotes(results)].map((sentence) => `<p class="run">${escapeHtml(sentence)}</p>`).join('\n')}
<h2>Verdict</h2>
<ul class="headlines">
${headlines(results)
  .map((sentence) => `<li>${prose(sentence)}</li>`)
  .join('\n')}
</ul>
${verdictTable(rows)}
<h2>Each elector</h2>
<ul class="verdicts">
${verdictsByAlgorithm(results)
  .map(({ algorithm, verdict }) => `<li><strong>${escapeHtml(algorithm)}</strong>: ${prose(verdict)}</li>`)
  .join('\n')}
</ul>
${chartsOf(rows).map(figure).join('\n')}
<h2>Measurements</h2>
${measurements(rows, columns)}
<h2>What the columns mean</h2>
<dl>
${columns.map(({ group, heading, meaning }) => `<div><dt>${escapeHtml(`${group} ${heading}`.trim())}</dt><dd>${escapeHtml(meaning)}.</dd></div>`).join('\n')}
</dl>
${validationOf(results)}<h2>Settings</h2>
${settings(rows)}
<h2>Replay</h2>
${replays(rows)}
<footer>Commit ${escapeHtml(commit ?? 'unknown')} · Node.js ${escapeHtml(machine.node)} · ${machine.cpus} processors · ${(wallMs / 1000).toFixed(1)} s</footer>
</main>
</body>
</html>
`;
}

/** A number and its unit stay on one line. */
const prose = (text: string): string => escapeHtml(text).replace(/(\d) (ms|s|nodes)\b/g, '$1&nbsp;$2');

/** As on the terminal; nothing unless the run was made to be compared with the simulator. */
function validationOf(results: Results): string {
  if (results.validation === undefined) return '';
  return `<h2>Simulated against live</h2>\n<pre class="scroll">${escapeHtml(renderValidation(results))}</pre>\n`;
}

function groupHeadings(columns: readonly Column[]): string {
  const groups: { name: string; span: number }[] = [];
  for (const { group } of columns) {
    const last = groups.at(-1);
    if (last?.name === group) last.span += 1;
    else groups.push({ name: group, span: 1 });
  }
  return groups
    .map(({ name, span }) =>
      name === ''
        ? `<td colspan="${span}"></td>`
        : `<th scope="colgroup" colspan="${span}">${escapeHtml(name)}</th>`,
    )
    .join('');
}

/** More rows than this are folded away, an elector each: whoever wants them knows which. */
const manyRows = 60;

function measurements(rows: readonly Row[], columns: readonly Column[]): string {
  const algorithms = [...new Set(rows.map(({ algorithm }) => algorithm))];
  const isReplayable = rows.some(({ replay }) => replay !== null);
  const head = `<thead>
<tr>${groupHeadings(columns)}</tr>
<tr>${columns.map(({ heading, align, meaning }) => `<th scope="col" class="${align}" title="${escapeHtml(meaning)}">${escapeHtml(heading)}</th>`).join('')}${isReplayable ? '<th scope="col" class="left">worst</th>' : ''}</tr>
</thead>`;
  return algorithms
    .map((algorithm) => {
      const own = rows.flatMap((row, index) => (row.algorithm === algorithm ? [{ row, index }] : []));
      const lines = own.map(({ row, index }, position) =>
        tableRow(row, index, columns, position > 0 && own[position - 1]!.row.nodes !== row.nodes),
      );
      return `<details${rows.length > manyRows ? '' : ' open'}><summary>${escapeHtml(algorithm)}: ${own.length === 1 ? 'one row' : `${own.length} rows`}</summary>
<div class="scroll"><table class="measurements">
${head}
<tbody>
${lines.join('\n')}
</tbody>
</table></div></details>`;
    })
    .join('\n');
}

function tableRow(row: Row, index: number, columns: readonly Column[], beginsSize: boolean): string {
  const cells = columns.map((column) => {
    const classes = [column.align, ...(column.alarming?.(row) ? ['alarming'] : [])].join(' ');
    return `<td class="${classes}">${escapeHtml(column.cell(row))}</td>`;
  });
  const link = row.replay === null ? '' : `<td class="left"><a href="#replay-${index}">replay</a></td>`;
  return `<tr${beginsSize ? ' class="begins"' : ''}>${cells.join('')}${link}</tr>`;
}

function settings(rows: readonly Row[]): string {
  const sentences = rows.map(({ algorithm, variant, parameters }) => {
    const values = Object.entries(parameters).map(([name, value]) => `${name} ${JSON.stringify(value)}`);
    return `${algorithm} (${variant}): ${values.join(', ')}.`;
  });
  return [...new Set(sentences)].map((sentence) => `<p>${escapeHtml(sentence)}</p>`).join('\n');
}

const replayCommand = (token: string): string => `npm run replay -- ${token}`;

function replays(rows: readonly Row[]): string {
  const items = rows.flatMap((row, index) =>
    row.replay === null
      ? []
      : [
          `<li id="replay-${index}">${escapeHtml(`${nameOf(row)}, ${row.nodes} nodes, ${row.fault}`)}: <code>${escapeHtml(replayCommand(row.replay))}</code></li>`,
        ],
  );
  if (items.length === 0) return '<p>Live trials cannot be replayed exactly.</p>';
  return `<p>The trial with the worst failover of each row, again with its trace:</p>\n<ul class="replays">\n${items.join('\n')}\n</ul>`;
}

function verdictTable(rows: readonly Row[]): string {
  const keys = Object.keys(verdictHeadings) as (keyof typeof verdictHeadings)[];
  const line = (verdict: Verdict) =>
    keys
      .map((key) => {
        const alarms = verdict.alarming && (key === 'twoLeaders' || key === 'staleWrites');
        const cell = prose(verdict[key]);
        if (key === 'name') return `<th scope="row" class="left">${cell}</th>`;
        // On a narrow screen the headings are out of sight, so each cell brings its own.
        return `<td class="left${alarms ? ' alarming' : ''}" data-heading="${escapeHtml(verdictHeadings[key])}">${cell}</td>`;
      })
      .join('');
  return `<div class="scroll"><table class="verdict">
<thead><tr>${keys.map((key) => `<th scope="col" class="left">${escapeHtml(verdictHeadings[key])}</th>`).join('')}</tr></thead>
<tbody>
${verdictsByVariant(rows)
  .map((verdict) => `<tr>${line(verdict)}</tr>`)
  .join('\n')}
</tbody>
</table></div>`;
}

function chartsOf(rows: readonly Row[]): Chart[] {
  const sizes = rows.map(({ nodes }) => nodes);
  const nodes = sizes.includes(familiarSize) ? familiarSize : sizes[0];
  const splits = rows.filter((row) => row.splitBrain.worst !== null);
  const [worst] = splits.sort((a, b) => b.splitBrain.worst!.overlapMs - a.splitBrain.worst!.overlapMs);
  return [
    nodes === undefined ? null : drawFailovers(rows, nodes),
    drawMessages(rows, 'crash'),
    drawMessages(rows, 'isolate'),
    worst === undefined ? null : drawOverlap(worst, worst.splitBrain.worst!),
  ].filter((chart) => chart !== null);
}

function figure({ title, legend, svg, words }: Chart, index: number): string {
  return `<h2 id="chart-${index}">${escapeHtml(title)}</h2>
<figure aria-labelledby="chart-${index}"><div class="scroll">${svg}</div>
<figcaption><p>${prose(legend)}</p><details><summary>In words</summary><ul>
${words.map((sentence) => `<li>${prose(sentence)}</li>`).join('\n')}
</ul></details></figcaption></figure>`;
}

const style = `
:root { color-scheme: light dark; --ink: #1d2430; --soft: #5b6675; --line: #d9dee5; --paper: #fff; --alarm: #a33a00; --bully: #b3541e; --ring: #8a6d00; --raft: #1f6fb2; --zookeeper: #2c7f46; --etcd: #7a4bb5; --lease: #b0306a; --rival: #5b6675; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ee; --soft: #9aa5b4; --line: #333c48; --paper: #14181d; --alarm: #ffab70; --bully: #f0905a; --ring: #d9bb4a; --raft: #6cb2f0; --zookeeper: #6fca8b; --etcd: #bd97f0; --lease: #f080b0; --rival: #9aa5b4; } }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 76rem; margin: 0 auto; padding: 2rem 1.25rem; }
h1 { font-size: 1.6rem; margin: 0 0 .25rem; } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
p, li { max-width: 50rem; } p { margin: .4rem 0; } ul { margin: .4rem 0; padding-left: 1.2rem; } .run, footer, dd, figcaption p { color: var(--soft); } figcaption p { font-size: .875rem; } .headlines { font-size: 1.05rem; margin-bottom: 1rem; } .verdicts li, .headlines li { margin: .3rem 0; } a { color: inherit; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .875rem; font-variant-numeric: tabular-nums; white-space: nowrap; } .measurements { font-size: .8rem; } .measurements th, .measurements td { padding: .25rem .38rem; } .measurements .begins td { border-top: 2px solid var(--soft); } details { margin: .4rem 0; } .replays { font-size: .875rem; padding-left: 1.2rem; } .replays li { max-width: none; } .replays li:target { background: var(--line); }
th, td { padding: .3rem .55rem; } .left { text-align: left; } .right { text-align: right; }
thead th { color: var(--soft); font-weight: 600; } thead tr:first-child th { border-bottom: 1px solid var(--line); color: var(--ink); }
tbody td { border-top: 1px solid var(--line); } .alarming { color: var(--alarm); font-weight: 600; }
dl { display: grid; grid-template-columns: repeat(auto-fill, minmax(20rem, 1fr)); gap: .4rem 1.5rem; margin: 0; }
dt { font-weight: 600; } dd { margin: 0; } footer { margin-top: 2.5rem; font-size: .875rem; overflow-wrap: anywhere; }
code { overflow-wrap: anywhere; }
.verdict { white-space: normal; } .verdict td, .verdict th { vertical-align: top; padding: .45rem .7rem; } .verdict tbody th { border-top: 1px solid var(--line); }
figure { margin: .5rem 0 0; } svg { display: block; width: 100%; max-width: 60rem; height: auto; } summary { color: var(--soft); cursor: pointer; } figcaption ul { columns: 2 22rem; font-size: .875rem; }
svg text { font: 13px system-ui, sans-serif; fill: var(--ink); } svg .heading { font-weight: 600; } svg .tick, svg .value { fill: var(--soft); font-size: 12px; } svg .end { text-anchor: end; } svg .middle { text-anchor: middle; }
.grid { stroke: var(--line); } .minor { stroke-opacity: .45; } .of-bully { --own: var(--bully); } .of-ring { --own: var(--ring); } .of-raft { --own: var(--raft); } .of-zookeeper { --own: var(--zookeeper); } .of-etcd { --own: var(--etcd); } .of-lease { --own: var(--lease); } .of-etcd3, .of-etcdctl, .of-curator { --own: var(--rival); }
.whisker { stroke: var(--own); stroke-width: 1.5; } .box { fill: var(--own); fill-opacity: .35; stroke: var(--own); } .median { stroke: var(--own); stroke-width: 3; }
.curve { fill: none; stroke: var(--own); stroke-width: 2; } .variant { stroke-dasharray: 6 4; } .dot { fill: var(--own); } svg .series { fill: var(--own); font-size: 12px; }
.tenure { fill: var(--own); stroke: var(--paper); stroke-width: 1.5; } .overlap { fill: var(--alarm); fill-opacity: .18; }
@media screen and (max-width: 45rem) { main { padding: 1rem .9rem; } svg { min-width: 44rem; } dl { grid-template-columns: 1fr; } .verdict thead { position: absolute; clip-path: inset(50%); height: 1px; width: 1px; overflow: hidden; } .verdict, .verdict tbody, .verdict tr, .verdict th, .verdict td { display: block; } .verdict tr { border-top: 1px solid var(--line); padding: .5rem 0; } .verdict tbody td, .verdict tbody th { border: 0; padding: .1rem 0; } .verdict tbody th { font-size: 1rem; } .verdict td { display: grid; grid-template-columns: 9rem 1fr; gap: .5rem; } .verdict td::before { content: attr(data-heading); color: var(--soft); font-weight: 400; } }
@media print { h2, figure { break-inside: avoid; } h2 { break-after: avoid; } svg { max-width: 46rem; } :root { --ink: #000; --soft: #333; --line: #bbb; --paper: #fff; --alarm: #000; } body { font-size: 11px; } .replays li, tr { break-inside: avoid; } .measurements { font-size: 8px; } .measurements th, .measurements td { padding: .1rem .2rem; } .headlines { font-size: 13px; } figcaption p, figcaption ul, .replays { font-size: 10px; } main { max-width: none; padding: 0; } table { font-size: 9px; } th, td { padding: .15rem .3rem; } .scroll { overflow: visible; } @page { size: A4 landscape; margin: 12mm; } }
`;
