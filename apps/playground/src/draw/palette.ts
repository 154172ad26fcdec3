/** The colours of the page, read once a theme: Okabe and Ito's, which colour-blind people tell apart. */
export interface Palette {
  readonly ink: string;
  readonly soft: string;
  readonly faint: string;
  readonly surface: string;
  readonly lead: string;
  readonly onLead: string;
  readonly candidate: string;
  readonly message: string;
  readonly bad: string;
  readonly badWash: string;
  readonly good: string;
  readonly fold: string;
  readonly coordinator: string;
}

const names = {
  ink: '--ink',
  soft: '--soft',
  faint: '--faint',
  surface: '--surface',
  lead: '--lead',
  onLead: '--on-lead',
  candidate: '--candidate',
  message: '--message',
  bad: '--bad',
  badWash: '--bad-wash',
  good: '--good',
  fold: '--fold',
  coordinator: '--coordinator',
} as const;

export function readPalette(element: Element): Palette {
  const style = getComputedStyle(element);
  const entries = Object.entries(names).map(([name, variable]) => [
    name,
    style.getPropertyValue(variable).trim(),
  ]);
  return Object.fromEntries(entries) as Palette;
}

export const font = (size: number, weight = 400): string =>
  `${weight} ${size}px ui-sans-serif, system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif`;

/** Sizes a canvas for the screen and returns what draws on it, in CSS pixels. */
export function prepare(
  canvas: HTMLCanvasElement | OffscreenCanvas,
  width: number,
  height: number,
  ratio: number,
) {
  const [w, h] = [Math.max(1, Math.round(width * ratio)), Math.max(1, Math.round(height * ratio))];
  if (canvas.width !== w) canvas.width = w;
  if (canvas.height !== h) canvas.height = h;
  const context = canvas.getContext('2d') as CanvasRenderingContext2D;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}
