/** Electors that are not ours: `npm run playground -- --with FILE` brings one along. */

import guests from 'hustings:guests';
import { enrol } from '@hustings/catalogue';

for (const guest of guests) enrol(guest);
