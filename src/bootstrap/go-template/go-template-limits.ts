// The bounds of the templates of one object, each with its reason. What they share is counted over all templates of one rendering.

/** Upstream's limit for the output of one file. */
export const RENDERED_BYTES_MAX = 1_048_576;

/** Output of all templates together: more than any Secret holds, with room for output that is shortened again when it is decoded. */
export const RENDERED_BYTES_IN_ALL_MAX = 2 * RENDERED_BYTES_MAX;

/** Go's limit for templates that use each other. */
export const TEMPLATE_DEPTH_MAX = 100_000;

/**
 * Work of all templates together. Go has no such limit; a tenant's loop must not stop everybody's reconciling: the dearest of the steps
 * takes about a microsecond, so that one rendering holds the event loop for about 150 ms at most. Templates of real nodes take some hundreds.
 */
export const STEPS_MAX = 150_000;

/** So many characters that a function reads or makes as a whole count as one step. */
export const TEXT_PER_STEP = 64;

/** So many characters that a function quotes or escapes, one by one, count as one step. */
export const ESCAPED_TEXT_PER_STEP = 4;

/** A member of a map or a list counts as so many characters, wherever a function reads the whole of it: as a step. */
export const MEMBER_AS_TEXT = 64;

/** The longest text that a function may make: whatever is longer could never be written. */
export const TEXT_LENGTH_MAX = RENDERED_BYTES_MAX;

/** Parentheses and blocks within each other: far above what anybody can read, and far from the end of JavaScript's stack. */
export const NESTING_MAX = 250;

/** Variables that are known at one place: each use looks through them. */
export const VARIABLES_MAX = 100;

/** So many variables that a use passes on its way count as one step. */
export const VARIABLES_PER_STEP = 8;
