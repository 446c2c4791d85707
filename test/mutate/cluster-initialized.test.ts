import { checkExample, examples } from '../unit/cluster-initialized/examples.js';
import { clusterInitializedModel } from '../model/cluster-initialized-model.js';
import { describeMutants } from './kit/survivors.js';

describeMutants(clusterInitializedModel, (table) =>
  examples.forEach((example) => checkExample(table as never, example)),
);
