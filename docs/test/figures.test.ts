import { describe, expect, it } from 'vitest';
import { readAddress } from '../../apps/playground/src/model/address.js';
import { pages } from './pages.js';

const figures = pages.flatMap(({ path, text }) =>
  [...text.matchAll(/^<!-- playground: (.*) -->\n(.*)$/gm)].map(([, run = '', next = '']) => ({
    path,
    run,
    next,
  })),
);

describe('a figure', () => {
  it.each(figures)('in $path opens the playground at a moment of a run: $run', ({ run }) => {
    const view = readAddress(`#${run}`);
    expect(view?.atMs).toBeGreaterThan(0);
    expect(view?.schedule.durationMs).toBeGreaterThan(view?.atMs ?? Number.POSITIVE_INFINITY);
  });

  it.each(figures)('in $path is a picture that says in words what it shows', ({ next }) => {
    expect(next).toMatch(/^!\[[^\]]{30,}\]\(\.\.\/pictures\/playground-[a-z-]+\.png\)$/);
  });

  it('is in every chapter', () => {
    const isChapter = (path: string): boolean => path.startsWith('chapters/');
    const withFigure = new Set(figures.map(({ path }) => path).filter(isChapter));
    expect([...withFigure]).toEqual(pages.map(({ path }) => path).filter(isChapter));
  });
});
