// Packs a library that is rarely needed into the bundle as compressed text.
//
// The bundle is one file, and V8 reads and keeps all of it, also what never runs: the Kubernetes client library is half of it and
// costs 20 MiB, and only credential plugins need it. Packed, it is read when it is first imported.
import { brotliCompressSync } from 'node:zlib';
import { build } from 'esbuild';

/** An esbuild plugin that packs each of these libraries: a map from its name to the names that are imported from it. */
export function packedLibraries(libraries) {
  return {
    name: 'packed-libraries',
    setup(builder) {
      for (const [name, exports] of Object.entries(libraries)) {
        const filter = new RegExp(`^${name}$`);
        builder.onResolve({ filter }, () => ({ path: name, namespace: 'packed' }));
        builder.onLoad({ filter, namespace: 'packed' }, async () => ({
          contents: unpacking(await pack(name, exports), exports),
          resolveDir: process.cwd(),
        }));
      }
    },
  };
}

/** The library's code with all that it needs, compressed. */
async function pack(name, exports) {
  const { outputFiles } = await build({
    stdin: { contents: `export { ${exports.join(', ')} } from '${name}';`, resolveDir: process.cwd() },
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    minify: true,
    keepNames: true,
    legalComments: 'none',
    write: false,
    // Its address is no file: what it requires are modules of Node, which are found from anywhere.
    banner: { js: 'import{createRequire}from"node:module";const require=createRequire(process.execPath);' },
    logLevel: 'warning',
  });
  return brotliCompressSync(outputFiles[0].contents).toString('base64');
}

function unpacking(packed, exports) {
  return `import { brotliDecompressSync } from 'node:zlib';
const code = brotliDecompressSync(Buffer.from('${packed}', 'base64')).toString('base64');
export const { ${exports.join(', ')} } = await import('data:text/javascript;base64,' + code);
`;
}
