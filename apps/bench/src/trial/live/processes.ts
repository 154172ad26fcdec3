import type { ProcessEvents, Processes, StartedProcess } from '@hustings/servers';
import type { CalibrationSettings, FromCalibration, ToCalibration } from './calibration-process.js';
import type { FromNode, NodeSettings, ToNode } from './messages.js';

export type NodeProcess = StartedProcess<ToNode>;

export function startNode(
  processes: Processes,
  settings: NodeSettings,
  events: ProcessEvents<FromNode>,
): NodeProcess {
  const file = settings.rival === null ? './node-process.js' : './rival-process.js';
  const node = processes.start<ToNode, FromNode>(
    new URL(file, import.meta.url),
    { type: 'start', settings },
    {
      ...events,
      received(message) {
        if (message.type === 'child') node.accompany(message.pid);
        events.received(message);
      },
    },
  );
  return node;
}

export function startCalibration(
  processes: Processes,
  settings: CalibrationSettings,
  events: ProcessEvents<FromCalibration>,
): StartedProcess<ToCalibration> {
  const script = new URL('./calibration-process.js', import.meta.url);
  return processes.start(script, { type: 'start', settings }, events);
}
