import type { Socket } from 'node:net';

/**
 * Lets the other end say so many bytes. What comes beyond is dropped unread, and `onExcess` is called; a parser
 * behind it would otherwise have to go through all that one packet holds before it could be stopped. Returns what
 * lifts the limit.
 */
export function limitBytes(stream: Socket, maxBytes: number, onExcess: () => void): () => void {
  const push = stream.push.bind(stream);
  let taken = 0;
  stream.push = (chunk: Uint8Array | null, encoding?: BufferEncoding) => {
    taken += chunk?.length ?? 0;
    if (chunk === null || taken <= maxBytes) return push(chunk, encoding);
    onExcess();
    // As a full buffer would: the stream is not to read on.
    return false;
  };
  return () => {
    stream.push = push;
  };
}
