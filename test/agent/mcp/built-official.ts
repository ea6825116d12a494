import {renameSync} from 'node:fs';
import {join} from 'node:path';
import {build} from 'esbuild';

/** `official-server.mjs` and the SDK in one file, which starts in half the processor time. */
export const official = join(import.meta.dirname, '../../../node_modules/.service-official-server.mjs');

// Renamed when it is whole, because processes that run at the same time build the same.
const built = `${official}-${process.pid}`;
await build({
	entryPoints: [join(import.meta.dirname, 'official-server.mjs')],
	outfile: built,
	bundle: true,
	format: 'esm',
	platform: 'node',
	target: 'node20.18',
});
renameSync(built, official);
