import { describeModel } from './kit/describe-model.js';
import { machineModel } from './machine-model.js';

describeModel(machineModel, { total: [5_000, 5_000_000], charts: [200, 50_000] });
