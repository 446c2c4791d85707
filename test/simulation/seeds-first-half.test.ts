// The operator under everything that can go wrong, a seed at a time: safe always, settled once faults stop. See seeds.ts.
import { describeSeeds, SEEDS } from './seeds.js';

describeSeeds(1, SEEDS / 2);
