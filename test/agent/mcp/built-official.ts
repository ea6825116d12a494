import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {build} from 'esbuild';

const folder = mkdtempSync(join(tmpdir(), 'service-official-'));
process.once('exit', () => rmSync(folder, {recursive: true, force: true}));

/** `official-server.mjs` and the SDK in one file, which starts in half the processor time. */
export const official = join(folder, 'official-server.mjs');

await build({
	entryPoints: [fileURLToPath(new URL('official-server.mjs', import.meta.url))],
	outfile: official,
	bundle: true,
	format: 'esm',
	platform: 'node',
	target: 'node20.18',
});
