/**
 * How two nodes prove to each other that they hold the shared secret, without either sending it:
 *
 * ```
 * dialler  -> hello      version, both ids, incarnation, nonce
 * acceptor -> challenge  incarnation, nonce
 * dialler  -> proof      HMAC-SHA256 over all of the above, labelled 'dialler'
 * acceptor -> proof      the same, labelled 'acceptor'
 * ```
 *
 * Fresh nonces of both ends make an old proof worthless, and the label and the ids keep a proof from being
 * handed back to its maker. The dialler proves itself first, so a stranger who connects learns nothing that
 * could be tried against guesses of the secret.
 *
 * A dialler may ask for a vigil: a connection over which nothing is said, and whose end is noticed. An acceptor that
 * grants it says where its own end of the connection is, so that the dialler knows whether it has reached the process
 * itself or something that forwards to it.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { NodeId } from '@hustings/elector';
import { MalformedError, readCount, readRecord, readString } from '@hustings/elector/protocol';
import { Refusal } from './refusals.js';

export const protocolVersion = 1;

/** Who a node is: its configured name, and a nonce that tells this process from any other of that name. */
export interface Identity {
  readonly id: NodeId;
  readonly incarnation: string;
}

/** A process that has proven who it is. */
export interface ProvenIdentity extends Identity {
  /** By this node's clock. The proof answers what was asked then, so its maker was alive then or later. */
  readonly askedAtMs: number;
  /** Of a vigil: where the other end says it is, as `placeOf` writes it; left out by one that grants no vigils. */
  readonly at?: string;
}

export type HandshakeFrame =
  | {
      readonly type: 'hello';
      readonly version: number;
      readonly from: NodeId;
      readonly to: NodeId;
      readonly incarnation: string;
      readonly nonce: string;
      readonly vigil?: true;
    }
  | {
      readonly type: 'challenge';
      readonly incarnation: string;
      readonly nonce: string;
      readonly at?: string;
    }
  | { readonly type: 'proof'; readonly proof: string };

export interface HandshakeStep {
  readonly send?: HandshakeFrame;
  /** Set once the other end has proven who it is. */
  readonly authenticated?: ProvenIdentity;
}

/** One end of the handshake. `receive` throws a `Refusal`, after which the connection must be closed. */
export interface Handshake {
  receive(value: unknown): HandshakeStep;
}

export type Side = 'dialler' | 'acceptor';

/** Everything that a proof vouches for. */
export interface Transcript {
  readonly dialler: Identity;
  readonly acceptor: Identity;
  readonly diallerNonce: string;
  readonly acceptorNonce: string;
  readonly at?: string;
}

/** A transcript, and when this node put the question to it that the other end's proof answers. */
interface OpenTranscript extends Transcript {
  readonly askedAtMs: number;
}

export function newNonce(): string {
  return randomBytes(32).toString('base64url');
}

export function prove(secret: string | Uint8Array, side: Side, transcript: Transcript): string {
  const { dialler, acceptor, diallerNonce, acceptorNonce, at } = transcript;
  // JSON keeps the fields apart: no two transcripts are spelled the same.
  const statement = JSON.stringify([
    'hustings',
    protocolVersion,
    side,
    [dialler.id, dialler.incarnation, diallerNonce],
    [acceptor.id, acceptor.incarnation, acceptorNonce],
    ...(at === undefined ? [] : [at]),
  ]);
  return createHmac('sha256', secret).update(statement).digest('base64url');
}

export class DiallerHandshake implements Handshake {
  readonly #self: Identity;
  readonly #peer: NodeId;
  readonly #secret: string | Uint8Array;
  readonly #vigil: boolean;
  readonly #nonce = newNonce();
  #transcript: OpenTranscript | null = null;

  constructor(self: Identity, peer: NodeId, secret: string | Uint8Array, vigil = false) {
    this.#self = self;
    this.#peer = peer;
    this.#secret = secret;
    this.#vigil = vigil;
  }

  hello(): HandshakeFrame {
    const { id, incarnation } = this.#self;
    return {
      type: 'hello',
      version: protocolVersion,
      from: id,
      to: this.#peer,
      incarnation,
      nonce: this.#nonce,
      ...(this.#vigil && { vigil: true }),
    };
  }

  receive(value: unknown): HandshakeStep {
    const frame = decodeFrame(value);
    if (this.#transcript === null && frame.type === 'challenge') {
      this.#transcript = {
        dialler: this.#self,
        acceptor: { id: this.#peer, incarnation: frame.incarnation },
        diallerNonce: this.#nonce,
        acceptorNonce: frame.nonce,
        askedAtMs: performance.now(),
        ...(frame.at !== undefined && { at: frame.at }),
      };
      return { send: { type: 'proof', proof: prove(this.#secret, 'dialler', this.#transcript) } };
    }
    if (this.#transcript !== null && frame.type === 'proof') {
      verify(frame.proof, prove(this.#secret, 'acceptor', this.#transcript));
      const { acceptor, askedAtMs, at } = this.#transcript;
      return { authenticated: { ...acceptor, askedAtMs, ...(at !== undefined && { at }) } };
    }
    throw outOfTurn();
  }
}

export class AcceptorHandshake implements Handshake {
  readonly #self: Identity;
  readonly #knows: (id: NodeId) => boolean;
  readonly #secret: string | Uint8Array;
  readonly #at: string | null;
  #transcript: OpenTranscript | null = null;

  /** `at` is where this end of the connection is; null where no vigils are granted. */
  constructor(
    self: Identity,
    knows: (id: NodeId) => boolean,
    secret: string | Uint8Array,
    at: string | null = null,
  ) {
    this.#self = self;
    this.#knows = knows;
    this.#secret = secret;
    this.#at = at;
  }

  /** The other end asked for a vigil, and has been granted one. */
  get isVigil(): boolean {
    return this.#transcript?.at !== undefined;
  }

  /** The known peer that the other end says it is; null until it has said so. */
  get claimed(): NodeId | null {
    return this.#transcript?.dialler.id ?? null;
  }

  receive(value: unknown): HandshakeStep {
    const frame = decodeFrame(value);
    if (this.#transcript === null && frame.type === 'hello') {
      this.#admit(frame);
      const nonce = newNonce();
      const at = frame.vigil && this.#at !== null ? { at: this.#at } : {};
      this.#transcript = {
        dialler: { id: frame.from, incarnation: frame.incarnation },
        acceptor: this.#self,
        diallerNonce: frame.nonce,
        acceptorNonce: nonce,
        askedAtMs: performance.now(),
        ...at,
      };
      return { send: { type: 'challenge', incarnation: this.#self.incarnation, nonce, ...at } };
    }
    if (this.#transcript !== null && frame.type === 'proof') {
      verify(frame.proof, prove(this.#secret, 'dialler', this.#transcript));
      const { dialler, askedAtMs } = this.#transcript;
      return {
        send: { type: 'proof', proof: prove(this.#secret, 'acceptor', this.#transcript) },
        authenticated: { ...dialler, askedAtMs },
      };
    }
    throw outOfTurn();
  }

  #admit(hello: HandshakeFrame & { type: 'hello' }): void {
    if (hello.version !== protocolVersion) {
      throw new Refusal('unsupported-version', `It speaks version ${hello.version}, not ${protocolVersion}.`);
    }
    if (hello.to !== this.#self.id) {
      throw new Refusal('wrong-node', 'It wants another node; correct the address that it dials.');
    }
    if (!this.#knows(hello.from)) {
      throw new Refusal('unknown-peer', "Its id is not among this node's 'peers'.");
    }
  }
}

function verify(actual: string, expected: string): void {
  const actualBytes = Buffer.from(actual);
  const expectedBytes = Buffer.from(expected);
  if (actualBytes.length !== expectedBytes.length || !timingSafeEqual(actualBytes, expectedBytes)) {
    throw new Refusal('unauthenticated', 'Its proof is wrong; give every node the same secret.');
  }
}

function decodeFrame(value: unknown): HandshakeFrame {
  try {
    const record = readRecord(value, 'A handshake frame');
    const type = readString(record, 'type');
    const { vigil, at } = record;
    switch (type) {
      case 'hello':
        return {
          type,
          version: readCount(record, 'version'),
          from: readToken(readString(record, 'from')),
          to: readToken(readString(record, 'to')),
          incarnation: readToken(readString(record, 'incarnation')),
          nonce: readToken(readString(record, 'nonce')),
          ...(vigil === true && { vigil }),
        };
      case 'challenge':
        return {
          type,
          incarnation: readToken(readString(record, 'incarnation')),
          nonce: readToken(readString(record, 'nonce')),
          ...(at !== undefined && { at: readToken(readString(record, 'at')) }),
        };
      case 'proof':
        return { type, proof: readToken(readString(record, 'proof')) };
      default:
        throw new MalformedError('The type of a handshake frame is not known.');
    }
  } catch (error) {
    throw new Refusal(
      'malformed',
      error instanceof MalformedError ? error.message : 'Not a handshake frame.',
    );
  }
}

function readToken(text: string): string {
  if (text.length === 0 || text.length > 256) {
    throw new MalformedError('A handshake field must have from 1 to 256 characters.');
  }
  return text;
}

function outOfTurn(): Refusal {
  return new Refusal('malformed', 'A handshake frame came out of turn.');
}
