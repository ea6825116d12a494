import {rm} from 'node:fs/promises';
import {parentPort, workerData} from 'node:worker_threads';
import {reportError} from '../core/error.ts';
import {demoThings, installDemo} from './demo/install-demo.ts';
import {makeEmbeddedFolder} from './embedded-folder.ts';
import {startServer} from './start.ts';
import type {WorkerData, WorkerReport} from './worker-messages.ts';

// The entry of the embedded server's own thread, so that neither the screen nor the server ever waits for the other.
const {speed} = workerData as WorkerData;
const report = (message: WorkerReport) => parentPort?.postMessage(message);

try {
	const folder = await makeEmbeddedFolder();
	const server = await startServer({
		place: {engine: 'sqlite', file: ':memory:'},
		folder,
		environment: {},
		demo: {speed},
	});
	const made = await installDemo(server.app, server.services);
	if (!made) {
		throw new Error('A database in memory was not empty.');
	}

	const {organization: org, workspace, project, projectId} = made;
	report({
		kind: 'listening',
		url: server.url,
		token: made.apiKey.reveal(),
		scope: {org, workspace, project},
		// A run wants the UUID of its project, which no answer of the demonstration names.
		seen: [{kind: 'project', id: projectId}, ...demoThings],
	});
	// Any message asks it to end; with the port closed and the server gone, the thread ends by itself.
	parentPort?.once('message', () => {
		server
			.close()
			.then(() => rm(folder, {recursive: true, force: true}))
			.finally(() => parentPort?.close());
	});
} catch (error) {
	report({kind: 'failed', message: reportError(error).message});
}
