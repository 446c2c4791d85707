// Without the vm-modules flag @swc/jest silently emits CommonJS and suites go missing: refuse instead.
export default function setup() {
  const flags = `${process.execArgv.join(' ')} ${process.env.NODE_OPTIONS ?? ''}`;
  if (!flags.includes('--experimental-vm-modules')) {
    throw new Error('run the tests with "npm test": node needs --experimental-vm-modules');
  }
}
