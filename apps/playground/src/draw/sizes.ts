/** How the window is divided among the electors that are shown: without scrolling, as long as there are few. */

export interface Heights {
  readonly stage: number;
  readonly diagram: number;
}

const narrowestCard = 270;

/** How many cards stand side by side in this width. */
export function columnsFor(count: number, width: number): number {
  const wanted = count === 4 ? 2 : Math.min(3, count);
  return Math.max(1, Math.min(wanted, Math.floor((width + gap) / (narrowestCard + gap))));
}

const gap = 16;
/** The page's header, the time bar, and the space around the cards. */
const aroundCards = 142;
/** A card's header, and the line about the store. */
const besideDrawings = 88;
const noteHeight = 38;

interface Room {
  /** Of all cards together. */
  readonly width: number;
  readonly windowHeight: number;
  /** Whether a card has a line about a broken promise. */
  readonly hasNote: boolean;
}

/** The heights of the two drawings of a card; `lines` is how many lines the diagram has. */
export function heightsFor(count: number, lines: number, { width, windowHeight, hasNote }: Room): Heights {
  const columns = columnsFor(count, width);
  // On a phone one scrolls from card to card.
  const rows = columns === 1 ? 1 : Math.ceil(count / columns);
  const free =
    (windowHeight - aroundCards - gap * (rows - 1)) / rows - besideDrawings - (hasNote ? noteHeight : 0);
  const perLine = rows > 1 ? 13 : lines < 8 && columns === 1 ? 36 : 26;
  const diagram = clamp(52 + lines * perLine, 118, Math.max(240, free * 0.55));
  const highest = Math.min(460, (0.8 * width) / columns);
  return {
    stage: Math.round(clamp(free - diagram, rows > 1 ? 150 : 170, highest)),
    diagram: Math.round(diagram),
  };
}

const clamp = (value: number, least: number, most: number): number => Math.max(least, Math.min(most, value));
