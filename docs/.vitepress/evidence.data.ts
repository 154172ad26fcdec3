import { readEvidence } from './evidence.js';

/** Read when the site is built. */
export default { load: readEvidence };
