/**
 * A map that is plain data and is never changed in place. It is split into parts, so that to set one of ten thousand
 * entries does not copy the other 9,999.
 */
export type Table<Value> = readonly Readonly<Record<string, Value>>[];

const parts = 64;

export const emptyTable: Table<never> = Array.from({ length: parts }, () => ({}));

/** So that no name is one that every object has. */
const fieldOf = (name: string): string => `/${name}`;

function partOf(name: string): number {
  let hash = 0;
  for (let index = 0; index < name.length; index += 1) hash = (31 * hash + name.charCodeAt(index)) | 0;
  return (hash >>> 0) % parts;
}

export const find = <Value>(table: Table<Value>, name: string): Value | undefined =>
  table[partOf(name)]?.[fieldOf(name)];

export function put<Value>(table: Table<Value>, name: string, value: Value): Table<Value> {
  const part = partOf(name);
  return table.with(part, { ...table[part], [fieldOf(name)]: value });
}

export function remove<Value>(table: Table<Value>, name: string): Table<Value> {
  const part = partOf(name);
  const { [fieldOf(name)]: _, ...others } = table[part] ?? {};
  return table.with(part, others as Readonly<Record<string, Value>>);
}

/** By name, in no order that means anything. */
export function entriesOf<Value>(table: Table<Value>): [name: string, value: Value][] {
  return table.flatMap((part) =>
    Object.entries(part).map(([field, value]): [string, Value] => [field.slice(1), value]),
  );
}

/** Parts in which nothing changes are kept as they are. */
export function mapTable<Value>(
  table: Table<Value>,
  change: (name: string, value: Value) => Value,
): Table<Value> {
  return table.map((part) => {
    let changed: Record<string, Value> | null = null;
    for (const [field, value] of Object.entries(part)) {
      const after = change(field.slice(1), value);
      if (after === value) continue;
      changed ??= { ...part };
      changed[field] = after;
    }
    return changed ?? part;
  });
}

/** The same entries with these values; made at once, where many change. */
export function tableOf<Value>(entries: Iterable<readonly [name: string, value: Value]>): Table<Value> {
  const made: Record<string, Value>[] = Array.from({ length: parts }, () => ({}));
  for (const [name, value] of entries) made[partOf(name)]![fieldOf(name)] = value;
  return made;
}
