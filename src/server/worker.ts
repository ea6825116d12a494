import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {parentPort, workerData} from 'node:worker_threads';
import {reportError} from '../core/error.ts';
import {initialize} from './accounts/initialize.ts';
import {startServer} from './start.ts';
import type {WorkerData, WorkerReport} from './worker-messages.ts';

// The entry of the embedded server's own thread, so that neither the screen nor the server ever waits for the other.
const {speed} = workerData as WorkerData;
const report = (message: WorkerReport) => parentPort?.postMessage(message);

try {
	const folder = await mkdtemp(join(tmpdir(), 'service-'));
	const server = await startServer({
		place: {engine: 'sqlite', file: ':memory:'},
		folder,
		environment: {},
		demo: {speed},
	});
	const scope = {org: 'demo', workspace: 'main', project: 'demo'};
	const {org: organization, ...inside} = scope;
	const {apiKey} = await initialize(server.services, {organization, ...inside, email: 'you@localhost'});
	report({kind: 'listening', url: server.url, token: apiKey.reveal(), scope});
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
