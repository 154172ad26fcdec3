import { expect, it } from 'vitest';
import { tellCases } from './cases.js';

it('the runs of exercise 02 are what broken protocols do', async () => {
  await expect(tellCases()).toMatchFileSnapshot('../exercises/02-find-the-event/cases.txt');
});
