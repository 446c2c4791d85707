// The inspector's page, as the build put it into the bundle. Outside a bundle there is no page.

import type { Asset } from '../inspector/server.js';

declare const __PAGE__: Readonly<Record<string, Asset>> | undefined;

/** Files of the page by path; empty when this is not the bundle. */
export const PAGE_ASSETS: Readonly<Record<string, Asset>> = typeof __PAGE__ === 'undefined' ? {} : __PAGE__;
