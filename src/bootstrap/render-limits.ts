// The bounds of one rendering, each with its reason.

/** What a Secret holds in all its keys together: the API server refuses more. */
export const SECRET_DATA_BYTES_MAX = 1_048_576;

/**
 * Text of all files, users and commands that go into one node's data. Nothing above a Secret's size could be stored, but for what
 * base64 in a file makes shorter: a third, and some room.
 */
export const RENDER_INPUT_CHARS_MAX = 1_572_864;
