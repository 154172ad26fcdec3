/** Znodes by their paths, and what a write makes of them. */

import type { SessionId, ZnodeName } from '../messages.js';

export interface Znode {
  readonly data: string;
  readonly czxid: number;
  /** `0` for one that is not ephemeral. */
  readonly owner: SessionId;
  readonly isContainer: boolean;
  /** Counts the children ever created; the next sequential one is given this number. */
  readonly cversion: number;
}

export type Tree = Readonly<Record<string, Znode>>;

const persistent = { data: '', owner: '0', cversion: 0 } as const;

export const root: Tree = { '/': { ...persistent, czxid: 0, isContainer: false } };

export function childrenOf(tree: Tree, path: string): ZnodeName[] {
  const prefix = path === '/' ? '/' : `${path}/`;
  return Object.keys(tree)
    .filter(
      (each) =>
        each.length > prefix.length && each.startsWith(prefix) && each.lastIndexOf('/') === prefix.length - 1,
    )
    .map((each) => each.slice(prefix.length));
}

/** The path of the next sequential znode; or why there cannot be one. */
export function nextPath(tree: Tree, path: string): { path: string } | 'no-node' | 'refused' {
  const parent = tree[parentOf(path)];
  if (parent === undefined) return 'no-node';
  if (parent.owner !== '0') return 'refused';
  return { path: `${path}${`${parent.cversion}`.padStart(10, '0')}` };
}

export function withChild(tree: Tree, path: string, znode: Znode): Tree {
  const parent = parentOf(path);
  const above = tree[parent];
  const counted = above === undefined ? {} : { [parent]: { ...above, cversion: above.cversion + 1 } };
  return { ...tree, ...counted, [path]: znode };
}

export function withContainers(tree: Tree, path: string, czxid: number): Tree {
  if (tree[path] !== undefined) return tree;
  const parent = parentOf(path);
  const above = withContainers(tree, parent, czxid);
  if (above[parent]?.owner !== '0') return above;
  return withChild(above, path, { ...persistent, czxid, isContainer: true });
}

export function without(tree: Tree, isGone: (znode: Znode, path: string) => boolean): Tree {
  const kept = Object.entries(tree).filter(([path, znode]) => !isGone(znode, path));
  return kept.length === Object.keys(tree).length ? tree : Object.fromEntries(kept);
}

function parentOf(path: string): string {
  const end = path.lastIndexOf('/');
  return end <= 0 ? '/' : path.slice(0, end);
}
