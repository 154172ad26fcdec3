/** What a run tells those who wait for it, on standard error: standard output belongs to the results. */
export interface Progress {
  /** `work` is what all trials come to where they are not alike: the time left is reckoned from it. */
  begin(total: number, work?: number): void;
  advance(count: number, label: string, work?: number): void;
  end(): void;
}

export const silentProgress: Progress = { begin() {}, advance() {}, end() {} };

export interface Terminal {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** A bar with the time left on a terminal; elsewhere a plain line for each tenth of the way. */
export function reportProgress(
  stream: Terminal,
  nowMs: () => number = () => performance.now(),
  noun = 'trials',
): Progress {
  return stream.isTTY === true ? barProgress(stream, nowMs) : lineProgress(stream, nowMs, noun);
}

const barWidth = 24;
const redrawIntervalMs = 50;

function barProgress(stream: Terminal, nowMs: () => number): Progress {
  const count = new Count(nowMs);
  let drawnAtMs = Number.NEGATIVE_INFINITY;
  return {
    begin: (total, work) => count.begin(total, work),
    advance(more, label, work) {
      count.add(more, work);
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

function lineProgress(stream: Terminal, nowMs: () => number, noun: string): Progress {
  const count = new Count(nowMs);
  let tenths = 0;
  return {
    begin: (total, work) => count.begin(total, work),
    advance(more, label, work) {
      count.add(more, work);
      const reached = Math.floor(count.share * 10);
      if (reached === tenths) return;
      tenths = reached;
      stream.write(`${count.done} of ${count.total} ${noun}, ${count.timeLeft()} (${label})\n`);
    },
    end() {},
  };
}

class Count {
  readonly #nowMs: () => number;
  #startedAtMs = 0;
  total = 0;
  done = 0;
  #work = 0;
  #workDone = 0;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  begin(total: number, work = total): void {
    this.total = total;
    this.done = 0;
    this.#work = work;
    this.#workDone = 0;
    this.#startedAtMs = this.#nowMs();
  }

  add(count: number, work = count): void {
    this.done += count;
    this.#workDone += work;
  }

  get share(): number {
    return this.#work === 0 ? 1 : this.#workDone / this.#work;
  }

  get percent(): string {
    return `${Math.floor(this.share * 100)}%`.padStart(4);
  }

  timeLeft(): string {
    const elapsedMs = this.#nowMs() - this.#startedAtMs;
    const left = (this.#work - this.#workDone) / Math.max(1, this.#workDone);
    const seconds = Math.ceil((elapsedMs * left) / 1000);
    return seconds < 60 ? `${seconds} s left` : `${Math.floor(seconds / 60)} min ${seconds % 60} s left`;
  }
}
