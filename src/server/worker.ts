import {randomBytes} from 'node:crypto';
import {parentPort, workerData} from 'node:worker_threads';
import {reportError} from '../core/error.ts';
import {secret} from '../core/secret.ts';
import {createApp} from './app.ts';
import {listen} from './listen.ts';
import type {WorkerData, WorkerReport} from './worker-messages.ts';

// The entry of the embedded server's own thread, so that neither the screen nor the server ever waits for the other.
const {speed} = workerData as WorkerData;
const report = (message: WorkerReport) => parentPort?.postMessage(message);

try {
	const token = randomBytes(32).toString('base64url');
	const listening = await listen(createApp({token: secret(token), demo: {speed}}));
	report({kind: 'listening', url: listening.url, token});
	// Any message asks it to end; with the port closed and the server gone, the thread ends by itself.
	parentPort?.once('message', () => {
		listening.close().finally(() => parentPort?.close());
	});
} catch (error) {
	report({kind: 'failed', message: reportError(error).message});
}
