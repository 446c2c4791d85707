// The bounds of a template's execution, each with its reason.

/** Upstream's limit for the output of one file. */
export const RENDERED_BYTES_MAX = 1_048_576;

/** Go's limit for templates that use each other. */
export const TEMPLATE_DEPTH_MAX = 100_000;

/** Work of one template. Go has no such limit; a tenant's endless loop must not stop everybody's reconciling. */
export const STEPS_MAX = 1_000_000;

/** The longest text that a function may make: whatever is longer could never be written. */
export const TEXT_LENGTH_MAX = 4 * RENDERED_BYTES_MAX;
