import {existsSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {PassThrough} from 'node:stream';
import {expect, onTestFinished} from 'vitest';
import type {ComposeOptions} from '../../src/command/program.ts';
import {compose} from '../../src/program/program.ts';
import {createAppStore} from '../../src/store/store.ts';
import {startLinear} from '../../src/ui/linear.ts';
import {connectedTo} from './chat.ts';
import {type ModelHost, startModelHost} from './model-host.ts';
import {environmentOf, folderWith, type Place} from './program.ts';

/** The app line by line, as a screen reader hears it. */
export type Lines = {
	readonly host: ModelHost;
	/** Returns a file of the working folder; undefined if there is none. */
	readonly read: (name: string) => string | undefined;
	/** Types a line; the terminal would echo it. */
	readonly type: (line: string) => void;
	/** Presses Ctrl+C, or sends a signal. */
	readonly interrupt: (signal?: NodeJS.Signals) => void;
	/** Returns everything that was written, byte by byte but for bells. */
	readonly written: () => string;
	readonly waitFor: (wanted: string | RegExp) => Promise<void>;
	/** Waits for a question, until it takes answers, and answers it. */
	readonly answer: (question: string, line: string) => Promise<void>;
	/** The exit status, once the app has ended. */
	readonly ended: Promise<number>;
};

/** A question doesn't count what was typed before it was there for so long. */
const guardMs = 500;

/** Runs the whole program line by line, in this process, with a host that the test scripts as its model. */
export async function openLines({env: more, ...place}: Place = {}): Promise<Lines> {
	const host = await startModelHost();
	const connected = connectedTo(host);
	const folder = place.folder ?? folderWith();
	const env = environmentOf({
		...place,
		env: {...connected.env, ACCESSIBLE: '1', NO_COLOR: '1', NODE_DISABLE_COMPILE_CACHE: '1', ...more},
	});
	const [stdin, stdout] = [new PassThrough(), new PassThrough()];
	let written = '';
	let now = 0;
	let interrupt: (signal?: NodeJS.Signals) => void = () => undefined;
	stdout.on('data', (data: Buffer) => (written += data.toString('utf8').replaceAll('\u0007', '')));
	const store = createAppStore();
	const ended = startLinear(
		{pick: false, model: 'custom/alpha'},
		{
			...{store, env, version: '0.0.0', now: () => now},
			stdin: Object.assign(stdin, {isTTY: true, setRawMode: () => stdin}) as never,
			stdout: Object.assign(stdout, {isTTY: true, columns: 80, rows: 24}) as never,
			onInterrupt(listener) {
				interrupt = listener;
			},
			async compose(options: ComposeOptions) {
				const workerUrl = new URL('../../dist/server-worker.js', import.meta.url);
				return compose({...options, store, env, folder, version: '0.0.0', workerUrl});
			},
		},
	);
	onTestFinished(async () => {
		stdin.end();
		await ended;
	});
	const waitFor = (wanted: string | RegExp) =>
		expect.poll(() => written, {interval: 5})[typeof wanted === 'string' ? 'toContain' : 'toMatch'](wanted as never);
	await waitFor(/You: $/);
	return {
		...{host, ended, waitFor},
		read: name => (existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8') : undefined),
		type: line => void stdin.write(`${line}\n`),
		interrupt: signal => interrupt(signal),
		written: () => written,
		async answer(question, line) {
			await waitFor(question);
			now += 2 * guardMs;
			stdin.write(`${line}\r`);
		},
	};
}
