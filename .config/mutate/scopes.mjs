// What `npm run mutate` changes: the decisions. Rules of the algorithms, what it means to lead, and lead(). Decoders,
// drivers and gateways have tests of another kind.

export const scopes = {
  elector: ['src/lead.ts', 'src/protocol/office.ts'],
  bully: ['src/step.ts', 'src/step/**/*.ts'],
  ring: ['src/step.ts', 'src/step/**/*.ts'],
  raft: ['src/step.ts', 'src/step/**/*.ts'],
  etcd: ['src/step.ts', 'src/step/**/*.ts'],
  zookeeper: ['src/step.ts', 'src/step/**/*.ts'],
  lease: ['src/step.ts', 'src/step/**/*.ts'],
};
