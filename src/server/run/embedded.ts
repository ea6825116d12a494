import {Worker} from 'node:worker_threads';
import {AppError, messageOf} from '../../core/error.ts';
import {type Secret, secret} from '../../core/secrets/secret.ts';
import type {DemoThing} from '../demo/demo-thing.ts';
import type {EmbeddedScope, SandboxReport, WorkerData, WorkerReport} from './worker-messages.ts';

export type Embedded = {
	/** `http://127.0.0.1:port`, without a slash at the end. */
	readonly url: string;
	readonly token: Secret;
	readonly scope: EmbeddedScope;
	readonly seen: readonly DemoThing[];
	/** Resolves when its thread has ended, for whatever reason, with what it died of: a few words. */
	readonly ended: Promise<string>;
	/** Ends the server and its thread. May be called twice, and is called before the program ends. */
	readonly close: () => Promise<void>;
};

type Options = {
	/** The built `worker.ts`. */
	readonly workerUrl: URL;
	/** How many times faster than a real model the demo model answers, 1 by default. */
	readonly speed?: number;
	/** Longest time in milliseconds that the start may take. */
	readonly startTimeoutMs?: number;
	/** Called with how many sandboxes run whenever that changes: they end with it. */
	readonly onSandboxes?: (running: number) => void;
	/** Ends it while it starts. */
	readonly signal?: AbortSignal;
};

/** How long a worker may take to end by itself, in milliseconds. */
const closeTimeoutMs = 2000;

/**
 * Starts the embedded server in a thread of its own, without any key in its environment. Once started it never keeps the
 * program alive. Throws `AppError` `failed` where it does not listen within 10 seconds, and the signal's reason once its
 * thread has ended.
 */
export async function startEmbedded(options: Options): Promise<Embedded> {
	const {workerUrl, speed = 1, startTimeoutMs = 10_000, onSandboxes, signal} = options;
	signal?.throwIfAborted();
	const data: WorkerData = {speed};
	const worker = new Worker(workerUrl, {workerData: data, env: {}, execArgv: [], stdout: true, stderr: true});
	// Nothing that it prints may reach the screen; its streams are left unread, because reading them keeps the program
	// alive. Nothing that fails after the start may end the program.
	let fault = '';
	worker.on('error', error => {
		fault = messageOf(error);
	});
	const ended = new Promise<string>(resolve => {
		worker.once('exit', status => resolve(fault || `status ${status}`));
	});

	// It is asked to end, and not ended from outside: SQLite's module brings the whole program down when its thread is taken
	// from it in the middle of a call.
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

function firstReport(worker: Worker, startTimeoutMs: number): Promise<WorkerReport> {
	return new Promise(resolve => {
		const fail = (message: string) => resolve({kind: 'failed', message});
		const timer = setTimeout(() => fail(`it did not respond for ${startTimeoutMs / 1000} s.`), startTimeoutMs);
		worker.once('message', (report: WorkerReport) => {
			clearTimeout(timer);
			resolve(report);
		});
		worker.once('error', error => fail(messageOf(error)));
		worker.once('exit', status => {
			clearTimeout(timer);
			fail(`its thread ended with status ${status}.`);
		});
	});
}
