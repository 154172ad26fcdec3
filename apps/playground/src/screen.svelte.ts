/** What drawings need to know of the screen: its colours, how fine and how high it is, and whether motion is welcome. */

import { type Palette, readPalette } from './draw/palette.js';

class Screen {
  palette = $state.raw<Palette>(readPalette(document.documentElement));
  ratio = $state(Math.min(2, devicePixelRatio || 1));
  height = $state(innerHeight);
  isCalm = $state(matchMedia('(prefers-reduced-motion: reduce)').matches);

  constructor() {
    const refresh = (): void => {
      this.palette = readPalette(document.documentElement);
      this.ratio = Math.min(2, devicePixelRatio || 1);
    };
    addEventListener('resize', () => {
      this.height = innerHeight;
    });
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', refresh);
    new MutationObserver(refresh).observe(document.documentElement, { attributeFilter: ['data-theme'] });
  }
}

export const screen = new Screen();
