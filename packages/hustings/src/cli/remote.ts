/** `hustings observe` and `hustings resign`, by way of the process that holds the elector. */

import { UsageError } from './usage.js';

/** One line of JSON for each belief, until the other end or `stop` ends it. */
export async function observeRemotely(
  base: URL,
  stop: AbortSignal,
  tell: (line: string) => void,
): Promise<void> {
  const response = await ask(new URL('/events', base), { signal: stop });
  if (response.headers.get('content-type') !== 'text/event-stream') throw notOurs(response);
  let rest = '';
  try {
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) if (line.startsWith('data: ')) tell(line.slice('data: '.length));
    }
  } catch (error) {
    if (!stop.aborted) throw new UsageError(`${base.href} answers no longer: ${reason(error)}.`);
  }
}

/** What it answers; rejects with its reason where it refuses. */
export async function resignRemotely(base: URL, to: string | undefined, stop: AbortSignal): Promise<object> {
  const url = new URL('/resign', base);
  if (to !== undefined) url.searchParams.set('to', to);
  const response = await ask(url, { method: 'POST', signal: stop });
  const body = (await response.json().catch(() => null)) as { error?: string; resigned?: true } | null;
  if (body?.resigned) return body;
  throw body?.error === undefined ? notOurs(response) : new Error(body.error);
}

/** A proxy that stands between answers for whoever it does not reach. */
const notOurs = ({ url, status }: Response): Error =>
  new UsageError(`What answers at ${url}, with ${status}, is no sidecar; check --sidecar.`);

async function ask(url: URL, options: RequestInit): Promise<Response> {
  try {
    return await fetch(url, options);
  } catch (error) {
    if (options.signal?.aborted) throw new Error('Interrupted before there was an answer.');
    throw new UsageError(
      `Nothing answers at ${url.origin} (${reason(error)}); start 'hustings sidecar', or 'hustings run' with --listen.`,
    );
  }
}

function reason(error: unknown): string {
  const { cause, message } = error as { cause?: { code?: string }; message: string };
  return cause?.code ?? message;
}
