import { describeModel } from './kit/describe-model.js';
import { machineModel } from './machine-model.js';

describeModel(machineModel);
