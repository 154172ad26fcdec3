import { lead } from '@hustings/elector';
import { type RaftMessage, Replica, raft } from '@hustings/raft';
import { raftStorage } from '@hustings/raft/storage';
import { createElector } from '@hustings/runtime';
import type { Transport } from '@hustings/transport';

/** Takes part as `transport.id`, and writes an entry as soon as it leads. */
export async function serve(
  transport: Transport<RaftMessage>,
  peers: string[],
  directory: string,
): Promise<void> {
  await using storage = raftStorage({ directory, id: transport.id });
  await using replica = new Replica((onAnnouncement) =>
    createElector({ protocol: raft(), transport, peers, storage, onAnnouncement }),
  );
  replica.onEvent((event) => console.log(JSON.stringify(event)));
  await replica.elector.start();
  await lead(replica.elector, async ({ token }) => {
    const { index } = await replica.propose({ colour: 'green' });
    console.log(`wrote entry ${index} with token ${token}`);
  });
}
