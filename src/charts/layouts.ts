// The finished layouts, by machine.

import type { ChartLayout } from './model.js';

/** Where everything is on each chart. */
export const LAYOUTS: Readonly<Record<string, ChartLayout>> = {};
