import { describeModel } from './kit/describe-model.js';
import { machinesUpToDateModel } from './machines-up-to-date-model.js';

describeModel(machinesUpToDateModel);
