import { machinesUpToDateModel } from '../model/machines-up-to-date-model.js';
import { checkExample, examples } from '../unit/machines-up-to-date/examples.js';
import { describeMutants } from './kit/survivors.js';

describeMutants(machinesUpToDateModel, (table) => examples.forEach((example) => checkExample(table as never, example)));
