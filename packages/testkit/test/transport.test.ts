import { memoryNetwork, transportConformance, webSocketNetwork } from '../src/index.js';

transportConformance(memoryNetwork);
transportConformance(webSocketNetwork);
