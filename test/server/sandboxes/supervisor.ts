import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import {build} from 'esbuild';

const folder = mkdtempSync(join(tmpdir(), 'service-supervisor-'));
process.once('exit', () => rmSync(folder, {recursive: true, force: true}));

/** The supervisor built from the sources. */
export const supervisor = pathToFileURL(join(folder, 'supervisor.mjs'));

await build({
	entryPoints: [new URL('../../../src/server/sandboxes/supervisor/supervisor.ts', import.meta.url).pathname],
	outfile: join(folder, 'supervisor.mjs'),
	bundle: true,
	format: 'esm',
	platform: 'node',
	target: 'node20.18',
});
