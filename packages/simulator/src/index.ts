export { EventQueue, type Timed } from './event-queue.js';
export { type Fault, type FaultKind, faultTypes, type Target } from './faults.js';
export { defaultNetwork, type NetworkModel } from './network.js';
export { type AnyProtocol, SimulatedNode } from './node.js';
export { deriveSeed, Random } from './random.js';
export {
  type AnyEffect,
  type AnyInput,
  type Observer,
  Simulation,
  type SimulationOptions,
  type WorldEvent,
} from './simulation.js';
