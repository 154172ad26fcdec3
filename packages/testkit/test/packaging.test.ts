import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { describe, expect, it } from 'vitest';

const packages = fileURLToPath(new URL('../../', import.meta.url));

describe.each(readdirSync(packages))('the package %s', (name) => {
  const pkgDir = join(packages, name);
  const manifest = JSON.parse(readFileSync(join(pkgDir, 'package.json'), 'utf8'));

  it('can be published as it is', async () => {
    const { messages } = await publint({ pkgDir, level: 'warning', pack: false });
    expect(messages.map((message) => formatMessage(message, manifest))).toEqual([]);
  });

  it('has a README, a description and the same version as the rest', () => {
    expect(readFileSync(join(pkgDir, 'README.md'), 'utf8')).toMatch(/^# @hustings\//);
    expect(manifest).toMatchObject({
      name: `@hustings/${name}`,
      version: '0.1.0',
      type: 'module',
      license: 'MIT',
    });
    expect(manifest.description).toMatch(/\.$/);
  });
});
