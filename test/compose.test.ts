import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import {build} from 'esbuild';
import {expect, test} from 'vitest';
import {compose} from '../src/compose.ts';
import {createAppStore} from '../src/store/store.ts';
import {temporaryFolder} from './storage/temporary.ts';

/** The worker of the embedded server, bundled, with a fault that ends it soon after it listens. */
async function brittleWorker(folder: string): Promise<URL> {
	const outfile = join(folder, 'worker.mjs');
	await build({
		stdin: {
			contents: "import './src/server/worker.ts'; setTimeout(() => { throw new Error('out of luck'); }, 600);",
			resolveDir: process.cwd(),
		},
		outfile,
		bundle: true,
		format: 'esm',
		platform: 'node',
	});
	return pathToFileURL(outfile);
}

test('an embedded server that dies is told of, and started again by the next who needs it', async () => {
	const folder = temporaryFolder();
	const store = createAppStore();
	const program = compose({
		store,
		env: {SERVICE_HOME: join(folder, 'home')},
		folder,
		workerUrl: await brittleWorker(folder),
		version: '0.0.0',
	});
	await program.startEmbedded();
	const first = store.getState().connection;
	expect(first).toEqual({
		profile: 'local',
		server: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
		state: 'ready',
	});

	await expect
		.poll(() => store.getState().connection)
		.toEqual({
			...first,
			state: 'failed',
			detail: 'The embedded server ended unexpectedly (out of luck). The next message starts it again.',
		});
	await program.startEmbedded();
	expect(store.getState().connection.state).toBe('ready');
	expect(store.getState().connection.server).not.toBe(first.server);
	await program.close();
});
