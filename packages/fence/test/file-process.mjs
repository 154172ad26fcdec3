// Works on a guarded file until it is killed. Runs on what `npm run build` has made.
import { fileFence } from '@hustings/fence/file';

const [directory, resource] = process.argv.slice(2);
await fileFence({ directory, resource }).run({ token: 3n, holder: 'a#1' }, async () => {
  console.log('at work');
  await new Promise((resolve) => setTimeout(resolve, 60_000));
});
