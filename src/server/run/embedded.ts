import {fileURLToPath} from 'node:url';
import {Worker} from 'node:worker_threads';
import {AppError, messageOf} from '../../core/error.ts';
import {type Secret, secret} from '../../core/secrets/secret.ts';
import type {DemoReference} from '../demo/demo-reference.ts';
import type {EmbeddedScope, SandboxReport, WorkerData, WorkerReport} from './worker-messages.ts';

export type Embedded = {
	/** `http://127.0.0.1:<port>` */
	readonly url: string;
	readonly token: Secret;
	readonly scope: EmbeddedScope;
	readonly seen: readonly DemoReference[];
	/** Resolves when the thread has ended, with the reason in a few words. */
	readonly ended: Promise<string>;
	/** Ends the server and its thread. May be called twice; must be called before the program ends. */
	readonly close: () => Promise<void>;
};

type Options = {
	/** The built `worker.ts`. Its hash names the chunk that it must run, if there is one. */
	readonly workerUrl: URL;
	/** The demo model's speed relative to a real model; 1 by default. */
	readonly speed?: number;
	readonly startTimeoutMs?: number;
	/** Where the worker's compiled code is kept; nowhere by default. */
	readonly codeCache?: string | undefined;
	/** Called with the number of running sandboxes whenever it changes. They end with the server. */
	readonly onSandboxes?: (running: number) => void;
	/** Cancels the start. */
	readonly signal?: AbortSignal;
};

/** How long the worker may take to end by itself before it is terminated. */
const closeTimeoutMs = 2000;

/**
 * Starts the embedded server in a thread of its own, with an empty environment. Once started, it doesn't keep the
 * program alive. Throws AppError("failed") if it doesn't listen within a minute, the loader's error if another build took
 * the place of the running one, and the signal's reason after an abort.
 */
export async function startEmbedded(options: Options): Promise<Embedded> {
	const {workerUrl, speed = 1, startTimeoutMs = 60_000, codeCache, onSandboxes, signal} = options;
	signal?.throwIfAborted();
	const data: WorkerData = {speed, codeCache, chunk: workerUrl.hash || undefined};
	const worker = new Worker(fileURLToPath(workerUrl), {
		workerData: data,
		env: {},
		execArgv: [],
		stdout: true,
		stderr: true,
	});
	// Its output must not reach the screen. The streams stay unread, because reading them keeps the program alive.
	// Errors after the start must not end the program.
	let fault = '';
	worker.on('error', error => {
		fault = messageOf(error);
	});
	const ended = new Promise<string>(resolve => {
		worker.once('exit', status => resolve(fault || `status ${status}`));
	});

	// Asks the worker to end instead of terminating it: SQLite's native module crashes the whole program if its thread
	// is terminated during a call.
	const close = async () => {
		worker.postMessage('close');
		const timer = setTimeout(() => worker.terminate(), closeTimeoutMs);
		await ended;
		clearTimeout(timer);
	};
	signal?.addEventListener('abort', close, {once: true});

	const report = await firstReport(worker, startTimeoutMs);
	if (report.kind === 'failed') {
		await close();
		signal?.throwIfAborted();
		if (report.cause instanceof Error && 'report' in report.cause) {
			throw report.cause;
		}

		throw new AppError('failed', `The embedded server could not start: ${report.message}`, {
			hint: 'Connect to another server with `connect <url>`, or set a provider key with `keys set <provider>`.',
		});
	}

	worker.on('message', ({running}: SandboxReport) => onSandboxes?.(running));
	worker.unref();
	return {
		url: report.url,
		token: secret(report.token),
		scope: report.scope,
		seen: report.seen,
		ended,
		close,
	};
}

type FirstReport = WorkerReport & {readonly cause?: unknown};

function firstReport(worker: Worker, startTimeoutMs: number): Promise<FirstReport> {
	return new Promise(resolve => {
		const fail = (message: string, cause?: unknown) => resolve({kind: 'failed', message, cause});
		const timer = setTimeout(() => fail(`it did not respond for ${startTimeoutMs / 1000} s.`), startTimeoutMs);
		worker.once('message', (report: WorkerReport) => {
			clearTimeout(timer);
			resolve(report);
		});
		worker.once('error', error => fail(messageOf(error), error));
		worker.once('exit', status => {
			clearTimeout(timer);
			fail(`its thread ended with status ${status}.`);
		});
	});
}
