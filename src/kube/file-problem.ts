// Why a file cannot be read, in words for a person.

const WORDS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  EACCES: 'permission denied',
  EEXIST: 'is a file',
  EISDIR: 'is a folder',
  ENOTDIR: 'is in no folder',
  EROFS: 'the file system is read-only',
};

/** The cause of a failed read: in words where it is a usual one, else its code. */
export function fileProblem(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  return code === undefined ? String(error) : (WORDS[code] ?? code);
}
