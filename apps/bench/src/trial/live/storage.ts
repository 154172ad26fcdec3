import type { NodeId } from '@hustings/elector';
import { initialState, type RaftDurable } from '@hustings/raft';
import { raftStorage } from '@hustings/raft/storage';
import { fileStorage, type Storage } from '@hustings/runtime';

interface Place {
  readonly directory: string;
  readonly id: NodeId;
}

/** What each algorithm's README tells its users to keep its state in. */
export function storageOf(
  algorithm: string,
  place: Place,
  decode: (value: unknown) => unknown,
): Storage<unknown> {
  return algorithm === 'raft' ? raftStorage(place) : fileStorage({ ...place, decode });
}

/** A save such as those of an election, again and again. The first was made: when one is timed, there is a file. */
export async function electionSave(algorithm: string, place: Place): Promise<() => Promise<void>> {
  const storage = storageOf(algorithm, place, (value) => value);
  let saved = 0;
  const save = (): Promise<void> => {
    saved += 1;
    return storage.save(algorithm === 'raft' ? vote(place.id, saved) : saved);
  };
  await storage.load();
  await save();
  return save;
}

function vote(id: NodeId, currentTerm: number): RaftDurable {
  const { snapshot, entries } = initialState(id, []).log;
  return { currentTerm, votedFor: id, snapshot, entries };
}
