/** Nobody knows whether what was asked has been carried out, or will be. */
export class NoAnswerError extends Error {}

/** Rejects with a `NoAnswerError` when the time is over first. */
export async function within<Value>(limitMs: number, what: string, promise: Promise<Value>): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new NoAnswerError(`${what} has not answered in ${limitMs} ms.`)),
      limitMs,
    );
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
