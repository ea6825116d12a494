import {rm} from 'node:fs/promises';
import process from 'node:process';
import {parentPort, workerData} from 'node:worker_threads';
import {reportError} from '../../core/error.ts';
import {demoReferences, installDemo} from '../demo/install-demo.ts';
import type {Services} from '../handlers/services.ts';
import {countSandboxes} from '../sandboxes/sandbox-monitor.ts';
import {makeEmbeddedFolder} from './embedded-folder.ts';
import {type RunningServer, startServer} from './start.ts';
import type {SandboxReport, WorkerData, WorkerReport} from './worker-messages.ts';

// The entry of the embedded server's thread. In a thread of its own, server and screen never block each other.
const {speed} = workerData as WorkerData;
const report = (message: WorkerReport | SandboxReport) => parentPort?.postMessage(message);

/** How often running sandboxes are counted. */
const countIntervalMs = 500;

/** Its client is the app, which ends with it. */
const closeTimeoutMs = 500;

let folder: string | undefined;
let server: RunningServer | undefined;

// Any message means “end”, also during the start: the port is closed and the folder removed when the thread ends.
parentPort?.once('message', async () => {
	try {
		await server?.close();
		await (folder && rm(folder, {recursive: true, force: true}));
	} finally {
		process.exit();
	}
});

let running = 0;

/** Reports the number of running sandboxes if it changed. A closed database counts as no change. */
async function countAgain(services: Services): Promise<void> {
	const count = await countSandboxes(services).catch(() => running);
	if (count !== running) {
		running = count;
		report({kind: 'sandboxes', running});
	}
}

async function start(): Promise<void> {
	folder = await makeEmbeddedFolder();
	server = await startServer({
		location: {engine: 'sqlite', file: ':memory:'},
		folder,
		environment: {},
		// Its one user only runs the bundled tasks, with the same permissions.
		unsafeSandboxes: true,
		demo: {speed},
		closeTimeoutMs,
	});
	const initialized = await installDemo(server.app, server.services);
	if (!initialized) {
		throw new Error('A database in memory was not empty.');
	}

	const {organization: org, workspace, project, projectId} = initialized;
	report({
		kind: 'listening',
		url: server.url,
		token: initialized.apiKey.reveal(),
		scope: {org, workspace, project},
		// A run needs the UUID of its project, which no response of the demo contains.
		seen: [{kind: 'project', id: projectId}, ...demoReferences],
	});
	setInterval(countAgain, countIntervalMs, server.services).unref();
}

start().catch(error => report({kind: 'failed', message: reportError(error).message}));
