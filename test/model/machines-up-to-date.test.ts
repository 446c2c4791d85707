import { describeModel } from './kit/describe-model.js';
import { machinesUpToDateModel } from './machines-up-to-date-model.js';

describeModel(machinesUpToDateModel, { total: [50_000, 50_000], charts: [200, 20_000] });
