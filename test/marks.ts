// Marks that tests put into secrets, and where they show up: as they are, in Base64 at any alignment, URL-encoded, in Go's JSON.

const shapes = new Map<string, readonly string[]>();

/** Which of the marks a text has, in any shape. */
export function marksIn(text: string, marks: readonly string[]): readonly string[] {
  return marks.filter((mark) => shapesOf(mark).some((shape) => text.includes(shape)));
}

function shapesOf(mark: string): readonly string[] {
  const known = shapes.get(mark) ?? shapesOfNew(mark);
  shapes.set(mark, known);
  return known;
}

function shapesOfNew(mark: string): readonly string[] {
  const encoded = (['base64', 'base64url'] as const).flatMap((encoding) =>
    [0, 1, 2].map((shift) => withoutEdges(Buffer.from(`${'x'.repeat(shift)}${mark}`).toString(encoding), shift)),
  );
  const inUrls = [encodeURIComponent(mark), new URLSearchParams({ x: mark }).toString().slice(2)];
  // Go's JSON escapes what means something in HTML.
  const inJson = mark.replaceAll('&', '\\u0026');
  return [...new Set([mark, ...encoded, ...inUrls, inJson])];
}

/** The characters of a Base64 text that its neighbours do not change. */
function withoutEdges(text: string, shift: number): string {
  return text.replace(/=+$/, '').slice(Math.ceil((shift * 8) / 6), -1);
}
