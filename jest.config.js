// Jest on ESM. The vm-modules flag comes from .ci/jest.mjs; test/jest-setup.mjs asserts it.
export default {
  testEnvironment: 'node',
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  testPathIgnorePatterns: [
    '/node_modules/',
    '<rootDir>/test/envtest/',
    '<rootDir>/test/consumers/',
    '<rootDir>/test/mutate/',
  ],
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: { parser: { syntax: 'typescript' }, target: 'es2023', experimental: { keepImportAttributes: true } },
        module: { type: 'es6' },
      },
    ],
  },
  globalSetup: '<rootDir>/test/jest-setup.mjs',
  reporters: ['default', '<rootDir>/test/jest-totals.mjs'],
  // Never a verdict on speed: machines that run this are shared and slow at times.
  testTimeout: 120_000,
  workerIdleMemoryLimit: '1GB',
};
