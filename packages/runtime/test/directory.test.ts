import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createDirectory, lockFile } from '../src/directory.js';

/** What a process of its own does: locks the file, says so or why not, and waits to be told to let go. */
const program = `
  import { lockFile } from '${new URL('../dist/directory.js', import.meta.url)}';
  try {
    const lock = await lockFile(process.argv[1]);
    process.stdout.write('locked');
    process.stdin.once('data', async () => {
      await lock.release();
      process.exit();
    });
  } catch (error) {
    process.stdout.write(error.message);
  }
`;

let directory: string;
const children: ChildProcess[] = [];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'hustings-'));
});

afterEach(async () => {
  for (const child of children.splice(0)) await kill(child);
  await rm(directory, { recursive: true });
});

const file = (name = 'a') => join(directory, name);

async function lockElsewhere(path = file()): Promise<[child: ChildProcess, answer: string]> {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program, path]);
  children.push(child);
  const [answer] = await once(child.stdout, 'data');
  return [child, `${answer}`];
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

describe('a directory that is to be made', () => {
  it('comes with those above it, and may be there already', async () => {
    const path = join(directory, 'a', 'b');
    await Promise.all([createDirectory(path), createDirectory(path)]);
    await createDirectory(path);
    expect(await readdir(join(directory, 'a'))).toEqual(['b']);
  });

  it('is refused where a file is, and at once where the kernel lets nobody make one', async () => {
    await writeFile(file('file'), '');
    await expect(createDirectory(file('file'))).rejects.toThrow('EEXIST');
    await expect(createDirectory(join(file('file'), 'below'))).rejects.toThrow('EEXIST');
    await expect(createDirectory('/proc/hustings/below')).rejects.toThrow("mkdir '/proc/hustings'");
  });
});

describe('a file that another process has locked', () => {
  it('is refused, with the process that has it', async () => {
    const [holder] = await lockElsewhere();
    await expect(lockFile(file())).rejects.toThrow(`Process ${holder.pid} uses it.`);
    const [, answer] = await lockElsewhere();
    expect(answer).toContain(`Process ${holder.pid} uses it.`);
  });

  it('is refused also while that process is a stopped worker of a cluster whose primary has died', async () => {
    const script = fileURLToPath(new URL('cluster-process.mjs', import.meta.url));
    const primary = spawn(process.execPath, [script, file()]);
    children.push(primary);
    const [said] = await once(primary.stdout, 'data');
    const worker = Number(`${said}`);
    onTestFinished(() => void process.kill(worker, 'SIGKILL'));
    process.kill(worker, 'SIGSTOP');
    await kill(primary);
    await expect(lockFile(file())).rejects.toThrow(`Process ${worker} uses it.`);
  });

  it('is refused also while that process is stopped', async () => {
    const [holder] = await lockElsewhere();
    holder.kill('SIGSTOP');
    await expect(lockFile(file())).rejects.toThrow(`Process ${holder.pid} uses it.`);
  });

  it('is free once that process was killed, and nothing needs to be cleaned up', async () => {
    const [holder] = await lockElsewhere();
    await kill(holder);
    const lock = await lockFile(file());
    const [, answer] = await lockElsewhere();
    expect(answer).toContain(`Process ${process.pid} uses it.`);
    await lock.release();
    expect(await readdir(directory)).toEqual([]);
  });

  it('is free once that process has let it go', async () => {
    const [holder] = await lockElsewhere();
    holder.stdin!.write('let go');
    await once(holder, 'exit');
    await (await lockFile(file())).release();
  });

  it('says nothing of the files beside it', async () => {
    await lockElsewhere();
    await (await lockFile(file('b'))).release();
  });
});

describe('a file that many want at the same moment', () => {
  it('is given to one of them, or to none', async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, () => lockElsewhere()));
    expect(answers.filter(([, answer]) => answer === 'locked').length).toBeLessThanOrEqual(1);
  });
});

describe('a directory with a long name', () => {
  const long = () => join(directory, 'x'.repeat(120));

  it('is refused with what to do', async () => {
    await mkdir(long());
    await expect(lockFile(join(long(), 'a'))).rejects.toThrow(/too long by \d+ bytes.*symbolic link/);
  });

  it('can be used through a link, and through another one', async () => {
    await mkdir(long());
    for (const name of ['first', 'second']) await symlink(long(), file(name));
    const lock = await lockFile(join(file('first'), 'a'));
    await expect(lockFile(join(file('second'), 'a'))).rejects.toThrow('This process uses it already.');
    await lock.release();
  });
});

describe('a place where no socket can be put', () => {
  it('is refused with what to do', async () => {
    await expect(lockFile(join(directory, 'missing', 'a'))).rejects.toThrow(/No socket.*set lock: false/);
  });
});
