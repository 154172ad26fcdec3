import { InvalidOptionError, type NodeId } from '@hustings/elector';

/**
 * Throws `InvalidOptionError` unless the id can be used as it is everywhere: on the wire, as a key of a record, in
 * a file name, in a key of etcd.
 */
export function checkNodeId(id: NodeId): void {
  const refuse = (reason: string) => {
    throw new InvalidOptionError(`Node id ${JSON.stringify(id)} ${reason}`);
  };
  if (typeof id !== 'string') refuse('must be a text.');
  if (id.length === 0 || id.length > 256) refuse('must have from 1 to 256 characters.');
  // `record[id]` would find it in a record that does not hold it.
  if (id in Object.prototype)
    refuse('is the name of something that every JavaScript object has; choose another.');
  // Two such ids may look the same once they are written as UTF-8.
  if (/\p{Surrogate}/u.test(id))
    refuse('contains half of a surrogate pair, which is no character; leave it out.');
}
