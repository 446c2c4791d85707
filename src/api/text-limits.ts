// The bounds of single texts of the API that have a form of their own, each with its reason.

/** A quantity, a duration or a point in time: far above what anybody writes, and short enough for exact arithmetic on its digits. */
export const FORM_CHARS_MAX = 256;

/** The largest exponent of a quantity: Go keeps it in 32 bits. */
export const QUANTITY_EXPONENT_MAX = 2_147_483_647;
