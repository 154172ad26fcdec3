/** This process's end of the keeper: the process that starts the command and ends it in time. */

import { type ChildProcess, fork } from 'node:child_process';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { FromKeeper, Schedule, ToKeeper } from './keeper-process.js';

const program = fileURLToPath(new URL('./keeper-process.js', import.meta.url));

export interface Ending {
  /** As a shell says it: 128 and the number of the signal that ended it, 127 for a program that is not there. */
  readonly exitCode: number;
  /** It was ended, by the schedule. */
  readonly wasTold: boolean;
}

export interface Command {
  readonly command: string;
  readonly parameters: readonly string[];
}

/** One for all runs of a command. It outlives this process by no longer than the command does. */
export class Keeper {
  #process = hire();
  #pid: number | null = null;

  /** Resolves when neither the command nor anything of its process group runs any longer. */
  run(command: Command, environment: Readonly<Record<string, string>>, schedule: Schedule): Promise<Ending> {
    // Somebody has killed it while there was nothing to keep.
    if (!this.#process.connected) this.#process = hire();
    return new Promise((resolve, reject) => {
      const onMessage = (message: FromKeeper): void => {
        if (message.type === 'ended') settle(() => resolve(endingOf(message)));
        else this.#letGo(message.pid);
      };
      // Not its exit, which may be known before its last words are read.
      const onGone = (): void => settle(() => reject(this.#avenge()));
      const settle = (how: () => void): void => {
        this.#process.off('message', onMessage).off('disconnect', onGone);
        how();
        this.#pid = null;
      };
      this.#process.on('message', onMessage).on('disconnect', onGone);
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

  #letGo(pid: number): void {
    this.#pid = pid;
    this.#tell({ type: 'go' });
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

/** In a session of its own: what stops this one from a terminal (Ctrl-Z) must not stop the keeper. */
const hire = (): ChildProcess => fork(program, [], { detached: true, execArgv: [], stdio: 'inherit' });

function endingOf({ code, signal, wasTold }: Extract<FromKeeper, { type: 'ended' }>): Ending {
  return { exitCode: code ?? 128 + signalNumber(signal), wasTold };
}

function signalNumber(signal: NodeJS.Signals | null): number {
  return signal === null ? 0 : constants.signals[signal];
}
