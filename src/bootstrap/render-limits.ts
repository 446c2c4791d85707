// The bounds of one rendering, each with its reason.

/** What a Secret holds in all its keys together: the API server refuses more. */
export const SECRET_DATA_BYTES_MAX = 1_048_576;

/**
 * Text of all files, users and commands that go into one node's data. Nothing above a Secret's size could be stored, but for what
 * base64 in a file makes shorter: a third, and some room.
 */
export const RENDER_INPUT_CHARS_MAX = 1_572_864;

/** Data that would be larger than this is not written to learn by how much: a quarter above what a Secret holds. */
export const WRITTEN_BYTES_MAX = 1_310_720;

/** A Container Linux Config: half of what a Secret holds, since its files grow on their way into Ignition; parsing takes the most time. */
export const CLC_CHARS_MAX = 524_288;

/**
 * What the YAML of a Container Linux Config is made of: names, values, marks, spaces, line ends. The parser's work grows with it, and the
 * event loop waits meanwhile. A text in a block counts as one, so that a config full of files and units stays far below.
 */
export const CLC_TOKENS_MAX = 32_768;

/** Nesting of a YAML text before a recursive reader sees it: a Container Linux Config has ten levels, its embedded scripts some more. */
export const YAML_DEPTH_MAX = 128;

/** One value that must be read as a line of YAML, which takes time by the square of its quotes: a path has at most 4,096 bytes. */
export const PLAIN_CHARS_MAX = 4_096;

/** All of them in one node's configuration. What has no meaning in YAML is not read and does not count. */
export const PLAIN_CHARS_IN_ALL_MAX = 65_536;
