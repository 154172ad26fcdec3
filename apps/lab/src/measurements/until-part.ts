/**
 * Waits until this part of a period has passed, of the periods since a moment: at least for one more. What is
 * measured in a rhythm, and in many trials, is so spread over all of it instead of being left to chance.
 */
export async function untilPart(part: number, periodMs: number, sinceMs: number): Promise<void> {
  const passedMs = performance.now() - sinceMs;
  const waitMs = ((part * periodMs - passedMs) % periodMs) + periodMs;
  await new Promise((resolve) => setTimeout(resolve, waitMs));
}
