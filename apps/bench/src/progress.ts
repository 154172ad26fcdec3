/** What a run tells those who wait for it, on standard error: standard output belongs to the results. */
export interface Progress {
  begin(total: number): void;
  advance(count: number, label: string): void;
  end(): void;
}

export const silentProgress: Progress = { begin() {}, advance() {}, end() {} };

export interface Terminal {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** A bar with the time left on a terminal; elsewhere a plain line for each tenth of the way. */
export function reportProgress(stream: Terminal, nowMs: () => number = () => performance.now()): Progress {
  return stream.isTTY === true ? barProgress(stream, nowMs) : lineProgress(stream, nowMs);
}

const barWidth = 24;
const redrawIntervalMs = 50;

function barProgress(stream: Terminal, nowMs: () => number): Progress {
  const count = new Count(nowMs);
  let drawnAtMs = Number.NEGATIVE_INFINITY;
  return {
    begin: (total) => count.begin(total),
    advance(more, label) {
      count.add(more);
      if (nowMs() - drawnAtMs < redrawIntervalMs) return;
      drawnAtMs = nowMs();
      const filled = Math.floor(count.share * barWidth);
      const bar = '█'.repeat(filled) + '░'.repeat(barWidth - filled);
      const line = `${bar} ${count.percent}  ${count.timeLeft()}  ${label}`;
      stream.write(`\r\u001b[K${line.slice(0, (stream.columns ?? 80) - 1)}`);
    },
    end: () => stream.write('\r\u001b[K'),
  };
}

function lineProgress(stream: Terminal, nowMs: () => number): Progress {
  const count = new Count(nowMs);
  let tenths = 0;
  return {
    begin: (total) => count.begin(total),
    advance(more, label) {
      count.add(more);
      const reached = Math.floor(count.share * 10);
      if (reached === tenths) return;
      tenths = reached;
      stream.write(`${count.done} of ${count.total} trials, ${count.timeLeft()} (${label})\n`);
    },
    end() {},
  };
}

class Count {
  readonly #nowMs: () => number;
  #startedAtMs = 0;
  total = 0;
  done = 0;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  begin(total: number): void {
    this.total = total;
    this.done = 0;
    this.#startedAtMs = this.#nowMs();
  }

  add(count: number): void {
    this.done += count;
  }

  get share(): number {
    return this.total === 0 ? 1 : this.done / this.total;
  }

  get percent(): string {
    return `${Math.floor(this.share * 100)}%`.padStart(4);
  }

  timeLeft(): string {
    const elapsedMs = this.#nowMs() - this.#startedAtMs;
    const seconds = Math.ceil((elapsedMs * (this.total - this.done)) / Math.max(1, this.done) / 1000);
    return seconds < 60 ? `${seconds} s left` : `${Math.floor(seconds / 60)} min ${seconds % 60} s left`;
  }
}
