// The operator under everything that can go wrong, a seed at a time: safe always, settled once faults stop. See seeds.ts.
import { describeSeeds, SEEDS } from './seeds.js';

describeSeeds(SEEDS / 2 + 1, SEEDS);
