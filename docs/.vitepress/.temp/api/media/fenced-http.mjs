// A door that only the leader opens: it answers 412 to a leader whose time is over, and 428 to whoever shows no token.
//
//     node fenced-http.mjs state 8080

import { createServer } from 'node:http';
import { tokenFile } from '@hustings/fence/file';
import { httpFence } from '@hustings/fence/http';

const [directory, port] = process.argv.slice(2);
const fence = httpFence({ highest: tokenFile({ directory, resource: 'door' }) });
let opened = 0;

const server = createServer(
  fence.node((_request, response) => {
    if (_request.method === 'POST') opened += 1;
    response.end(`opened ${opened} times\n`);
  }),
);
server.listen(Number(port), '127.0.0.1', () => console.log(`listens on ${server.address().port}`));
process.once('SIGTERM', () => server.close());
