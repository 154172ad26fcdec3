/** The command line cannot be carried out. The message is one sentence that says what to do instead. */
export class UsageError extends Error {}
