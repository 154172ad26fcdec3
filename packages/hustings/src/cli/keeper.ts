/** This process's end of the keeper: the process that starts the command and ends it in time. */

import { type ChildProcess, fork } from 'node:child_process';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { FromKeeper, Schedule, ToKeeper } from './keeper-process.js';

const program = fileURLToPath(new URL('./keeper-process.js', import.meta.url));

export type Ending =
  | { readonly type: 'ended'; readonly exitCode: number; readonly wasTold: boolean }
  | { readonly type: 'not-started'; readonly exitCode: 126 | 127; readonly message: string };

export interface Command {
  readonly command: string;
  readonly parameters: readonly string[];
}

/** One for all runs of a command. It outlives this process by no longer than the command does. */
export class Keeper {
  readonly #process: ChildProcess;
  #pid: number | null = null;

  constructor() {
    // In a session of its own: what stops this one from a terminal (Ctrl-Z) must not stop the keeper.
    this.#process = fork(program, [], { detached: true, execArgv: [], stdio: 'inherit' });
  }

  /** Resolves when neither the command nor anything of its process group runs any longer. */
  run(command: Command, environment: Readonly<Record<string, string>>, schedule: Schedule): Promise<Ending> {
    return new Promise((resolve, reject) => {
      const onMessage = (message: FromKeeper): void => {
        if (message.type === 'started') this.#pid = message.pid;
        else settle(() => resolve(endingOf(message, command)));
      };
      const onExit = (): void => settle(() => reject(this.#avenge()));
      const settle = (how: () => void): void => {
        this.#process.off('message', onMessage).off('exit', onExit);
        how();
        this.#pid = null;
      };
      this.#process.on('message', onMessage).on('exit', onExit);
      this.#tell({ type: 'start', ...command, environment, schedule });
    });
  }

  follow(schedule: Schedule): void {
    this.#tell({ type: 'schedule', schedule });
  }

  /** Only while no command runs. */
  dismiss(): void {
    if (this.#process.connected) this.#process.disconnect();
  }

  /** Somebody has killed the keeper: what it kept must not run on. */
  #avenge(): Error {
    try {
      if (this.#pid !== null) process.kill(-this.#pid, 'SIGKILL');
    } catch {
      // The command has ended, too.
    }
    return new Error('The process that keeps the command was killed, so the command was killed as well.');
  }

  #tell(message: ToKeeper): void {
    if (this.#process.connected) this.#process.send(message, () => {});
  }
}

type Ended = Exclude<FromKeeper, { type: 'started' }>;

/** As a shell says it: 127 for a command that is not there, 128 and the number of the signal that ended it. */
function endingOf(message: Ended, { command }: Command): Ending {
  if (message.type === 'failed') {
    const isMissing = message.code === 'ENOENT';
    const why = isMissing ? 'there is no such program' : message.message;
    return {
      type: 'not-started',
      exitCode: isMissing ? 127 : 126,
      message: `'${command}' cannot be run: ${why}.`,
    };
  }
  const { code, signal, wasTold } = message;
  return { type: 'ended', exitCode: code ?? 128 + signalNumber(signal), wasTold };
}

function signalNumber(signal: NodeJS.Signals | null): number {
  return signal === null ? 0 : constants.signals[signal];
}
