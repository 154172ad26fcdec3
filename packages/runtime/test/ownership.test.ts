import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InvalidOptionError } from '@hustings/elector';
import { webSocketTransport } from '@hustings/transport/websocket';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createElector,
  type ElectorOptions,
  fileStorage,
  memoryStorage,
  type Storage,
} from '../src/index.js';
import {
  DeskTransport,
  type Kept,
  obliging,
  type ScriptedTypes,
  scene,
  scriptedProtocol,
  startedScene,
} from './scripted.js';

const secret = 'a secret of at least sixteen bytes';
const protocol = scriptedProtocol(obliging, [], {});
const storage = memoryStorage<Kept>();

const overWebSockets = () =>
  webSocketTransport({
    id: 'a',
    peers: { b: 'ws://127.0.0.1:1', c: 'ws://127.0.0.1:2' },
    secret,
    decodeMessage: protocol.decodeMessage,
  });

describe('given a transport that knows the other nodes', () => {
  it('needs not be told again', () => {
    expect(createElector({ protocol, transport: overWebSockets(), storage }).id).toBe('a');
    expect(createElector({ protocol, transport: overWebSockets(), peers: ['c', 'b'], storage }).id).toBe('a');
  });

  it.each([[[]], [['b']], [['b', 'c', 'd']], [['b', 'd']]])('refuses others, such as %j', (peers) => {
    const create = () => createElector({ protocol, transport: overWebSockets(), peers, storage });
    expect(create).toThrow(InvalidOptionError);
    expect(create).toThrow(
      /^createElector: option 'peers' names \[.*\], but the transport knows \[b, c\]; leave it out/,
    );
  });
});

describe('given a transport that does not know the other nodes', () => {
  it('refuses to guess that there are none', () => {
    const create = () => createElector({ protocol, transport: new DeskTransport('a'), storage });
    expect(create).toThrow("createElector: option 'peers' is missing: the other nodes.");
  });
});

describe('given options that are wrong', () => {
  it.each([
    [{ protocol: undefined }, "createElector: option 'protocol' is missing: such as raft()."],
    [{ storage: undefined }, "createElector: option 'storage' is missing"],
    [{ peers: 'b,c' }, "createElector: option 'peers' must be an array, not 'b,c'."],
    [{ stopTimeoutMs: '5' }, "createElector: option 'stopTimeoutMs' must be a number above 0, not '5'."],
    [{ onDiagnostics: () => {} }, "there is no option 'onDiagnostics'; did you mean 'onDiagnostic'?"],
  ])('names %j', (wrong: object, sentence) => {
    const right: object = { protocol, transport: new DeskTransport('a'), peers: ['b'], storage };
    const create = () => createElector({ ...right, ...wrong } as ElectorOptions<ScriptedTypes>);
    expect(create).toThrow(sentence);
  });

  it('takes undefined for the default', async () => {
    const undefinedOptions = { onDiagnostic: undefined, random: undefined, stopTimeoutMs: undefined };
    const { elector } = scene(obliging, undefinedOptions as object);
    await elector.start();
    await elector.stop();
  });
});

describe('given a storage that holds something', () => {
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'hustings-ownership-'));
  });
  afterAll(() => rm(directory, { recursive: true }));

  const open = () => fileStorage({ directory, id: 'a', decode: protocol.decodeDurable });

  it('closes it when it has stopped, and not before', async () => {
    const { elector } = await startedScene(obliging, { storage: open() });
    await expect(open().load()).rejects.toThrow('This process uses it already');
    await elector.stop();
    const next = open();
    expect(await next.load()).toBeUndefined();
    await next.close();
  });

  it('has closed it when a failed start is told of, so that another may be tried at once', async () => {
    let isClosed = false;
    const slow: Storage<Kept> = {
      ...memoryStorage<Kept>(),
      close: async () => {
        await new Promise((resolve) => setTimeout(resolve, 10));
        isClosed = true;
      },
    };
    const { elector, transport } = scene(obliging, { storage: slow });
    transport.start = () => Promise.reject(new Error('the port is taken'));
    await expect(elector.start()).rejects.toThrow('the port is taken');
    expect([isClosed, transport.stops]).toEqual([true, 1]);
  });

  it('says so when it cannot be closed', async () => {
    const stuck: Storage<Kept> = {
      ...memoryStorage<Kept>(),
      close: () => Promise.reject(new Error('stuck')),
    };
    const { elector, diagnostics } = await startedScene(obliging, { storage: stuck });
    await elector.stop();
    expect(diagnostics).toEqual([{ type: 'storage-failed', error: new Error('stuck') }]);
  });
});

describe('what an application is given', () => {
  it('can be written as JSON, with tokens as decimal digits', async () => {
    const { elector } = await startedScene(obliging);
    expect(JSON.stringify(elector.belief())).toBe('{"role":"follower","leaderId":null,"token":null}');
    const leadership = await elector.campaign();
    expect(JSON.parse(JSON.stringify({ leadership, belief: elector.belief() }))).toEqual({
      leadership: { token: '1', holder: leadership.holder },
      belief: { role: 'leader', leaderId: 'a', token: '1' },
    });
  });
});
