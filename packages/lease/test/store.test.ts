import { HustingsError } from '@hustings/elector';
import { expect, it } from 'vitest';
import { StoreRefusedError } from '../src/index.js';

it("a store's refusal is an error of Hustings with a stable code", () => {
  const error = new StoreRefusedError('Table hustings_leases does not exist; create it first.');
  expect(error).toBeInstanceOf(HustingsError);
  expect(error).toMatchObject({ name: 'StoreRefusedError', code: 'HUSTINGS_STORE_REFUSED' });
});
