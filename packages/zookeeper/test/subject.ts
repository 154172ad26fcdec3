import {
  defaultSettings,
  initialState,
  protectedName,
  step,
  type ZooKeeperEffect,
  type ZooKeeperInput,
  type ZooKeeperReply,
  type ZooKeeperRequest,
  type ZooKeeperSettings,
  type ZooKeeperState,
} from '../src/index.js';

export const session = '10000550a4e0000';
export const timeoutMs = 6000;
export const own = (attempt: number, number: number): string =>
  `${protectedName(session, attempt)}${`${number}`.padStart(10, '0')}`;
export const other = (number: number): string =>
  `_c_6fd5a3e8-5ad5-4a4e-b0a7-0a6c3c0f2b11-latch-${`${number}`.padStart(10, '0')}`;

/** A node, the clock, and what it does. Its requests are answered by hand. */
export class Subject {
  state: ZooKeeperState;
  effects: readonly ZooKeeperEffect[] = [];
  nowMs = 1000;

  constructor(settings: Partial<ZooKeeperSettings> = {}) {
    this.state = initialState('n1', { ...defaultSettings, ...settings });
  }

  give(input: ZooKeeperInput): this {
    [this.state, this.effects] = step(this.state, input, this.nowMs);
    return this;
  }

  hear(message: ZooKeeperReply): this {
    return this.give({ type: 'received', from: 'zookeeper', message });
  }

  after(ms: number): this {
    this.nowMs += ms;
    return this;
  }

  /** The last request of this type among those just sent. */
  asked<Type extends ZooKeeperRequest['type']>(type: Type): ZooKeeperRequest & { type: Type } {
    const sent = this.effects.flatMap((effect) => (effect.type === 'send' ? [effect.message] : []));
    const request = sent.findLast((message) => message.type === type);
    if (request === undefined) throw new Error(`It asked for ${sent.map((each) => each.type).join(', ')}.`);
    return request as ZooKeeperRequest & { type: Type };
  }

  did(type: ZooKeeperEffect['type']): ZooKeeperEffect[] {
    return this.effects.filter((effect) => effect.type === type);
  }

  get sent(): string[] {
    return this.effects.flatMap((effect) => (effect.type === 'send' ? [effect.message.type] : []));
  }
}

/** Connected at 1000, when it also sent its first ping, which is answered; it has asked how the queue stands. */
export function connected(settings: Partial<ZooKeeperSettings> = {}): Subject {
  const subject = new Subject(settings).give({ type: 'started' });
  const { id } = subject.asked('connect');
  subject.hear({ type: 'connected', id, session, sessionTimeoutMs: timeoutMs });
  const { effects } = subject;
  subject.hear({ type: 'pong', id: subject.asked('ping').id, exists: false });
  subject.effects = effects;
  return subject;
}

/** A ping is due, and is answered at once. */
export function pinged(subject: Subject, type: 'ping' | 'prove'): Subject {
  subject.give({ type: 'timer-fired', timer: 'ping' });
  const { id } = subject.asked(type);
  return subject.hear({ type: type === 'ping' ? 'pong' : 'proven', id, exists: true });
}

/** Stands, and has created its znode with this number. */
export function created(number: number, settings: Partial<ZooKeeperSettings> = {}): Subject {
  const subject = connected(settings).give({ type: 'campaign-requested' });
  const { id, path } = subject.asked('create');
  return subject.hear({
    type: 'created',
    id,
    path: `${path}${`${number}`.padStart(10, '0')}`,
    czxid: 70 + number,
  });
}

export function listed(subject: Subject, ...names: string[]): Subject {
  return subject.hear({ type: 'listed', id: subject.asked('children').id, names });
}

export function leading(): Subject {
  return listed(created(3), own(1, 3), other(4));
}

/** Second in the queue, behind n9. */
export function waiting(): Subject {
  const subject = listed(created(3), own(1, 3), other(2));
  return subject.hear({ type: 'got', id: subject.asked('get').id, data: 'n9', czxid: 72, owner: 'abc' });
}
