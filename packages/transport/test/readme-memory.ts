import { faulty, metered } from '@hustings/transport';
import { MemoryNetwork } from '@hustings/transport/memory';

const network = new MemoryNetwork<{ type: 'greeting'; text: string }>();
const a = faulty(network.transport('a', ['b']));
const b = metered(network.transport('b', ['a']));

await a.start({ received: () => {}, linkUp: () => {}, linkDown: () => {} });
await b.start({
  received: (from, message) => console.log(`${from} says ${message.text}`),
  linkUp: (peer) => console.log(`${peer} can be reached`),
  linkDown: (peer) => console.log(`${peer} is gone`),
});

const heal = a.addRule({ type: 'cut', from: 'a', to: 'b' });
a.send('b', { type: 'greeting', text: 'nobody hears this' });
heal();
a.send('b', { type: 'greeting', text: 'hello' });
await a.stop();
