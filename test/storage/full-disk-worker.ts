import {createLineWriter} from '../../src/storage/journal-writer.ts';

// Run as a process of its own, with a limit on the size of files, by journal-writer.test.ts.
const path = process.argv[2] ?? '';
const writer = createLineWriter({path, size: undefined, prepare: () => Promise.resolve(), onState: () => undefined});
writer.write('short', true);
const first = await writer.flush();
writer.write('x'.repeat(20_000), true);
const second = await writer.flush();
process.stdout.write(JSON.stringify([first, second, await writer.close()]));
