import {type ChildProcess, spawn} from 'node:child_process';
import {once} from 'node:events';
import {accessSync, constants, mkdtempSync} from 'node:fs';
import {rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {delimiter, join} from 'node:path';
import type {Readable, Writable} from 'node:stream';
import {onTestFinished} from 'vitest';

/** The path of Chromium on this machine; undefined if there is none. */
export const chromium = ['chromium', 'chromium-browser', 'google-chrome']
	.flatMap(name => (process.env['PATH'] ?? '').split(delimiter).map(folder => join(folder, name)))
	.find(isExecutable);

type Message = {
	readonly id?: number;
	readonly method?: string;
	readonly params?: Record<string, unknown>;
	readonly result?: unknown;
	readonly error?: {readonly message: string};
};

/** A page of a headless Chromium, driven through the DevTools protocol like a person with a keyboard. */
export async function openPage(program: string) {
	const ask = connect(start(program));
	const {targetId} = await ask<{targetId: string}>('Target.createTarget', {url: 'about:blank'});
	const {sessionId} = await ask<{sessionId: string}>('Target.attachToTarget', {targetId, flatten: true});
	const page = <Result>(method: string, params: object = {}) => ask<Result>(method, params, sessionId);
	const violations: unknown[] = [];
	ask.listen('Log.entryAdded', ({entry}) => {
		const {source, text} = entry as {source: string; text: string};
		// The status of a response, e.g. 400, is reported as well.
		if (source !== 'network') {
			violations.push(text);
		}
	});
	await page('Page.enable');
	await page('Log.enable');

	/** Runs `act` and waits for the next page. */
	const andLoad = async (act: () => Promise<unknown>) => {
		const loaded = ask.next('Page.loadEventFired');
		await act();
		await loaded;
	};
	const press = async (key: string, text?: string) => {
		for (const type of ['keyDown', 'keyUp']) {
			await page('Input.dispatchKeyEvent', {
				type,
				key,
				code: key,
				windowsVirtualKeyCode: codes[key],
				...(type === 'keyDown' && text && {text}),
			});
		}
	};

	return {
		/** The browser's complaints about policy violations. */
		violations,
		command: page,
		open: (url: string) => andLoad(() => page('Page.navigate', {url})),
		/** Returns the value of an expression in the page as JSON. */
		async read<Value>(expression: string): Promise<Value> {
			const {result} = await page<{result: {value: Value}}>('Runtime.evaluate', {expression, returnByValue: true});
			return result.value;
		},
		type: (text: string) => page('Input.insertText', {text}),
		async tab(times = 1) {
			for (let count = 0; count < times; count += 1) {
				await press('Tab');
			}
		},
		/** Presses Enter and waits for the next page. */
		enter: () => andLoad(() => press('Enter', '\r')),
	};
}

const codes: Readonly<Record<string, number>> = {Tab: 9, Enter: 13};

/** Messages use two pipes, so no port is open. */
function start(program: string): ChildProcess {
	const profile = mkdtempSync(join(tmpdir(), 'service-chromium-'));
	const child = spawn(
		program,
		[
			'--headless=new',
			'--remote-debugging-pipe',
			`--user-data-dir=${profile}`,
			// In containers and as root its own sandbox can't be set up; it only opens pages of this test.
			'--no-sandbox',
			'--disable-gpu',
			'--disable-dev-shm-usage',
			'--disable-extensions',
			'--disable-background-networking',
			'--no-first-run',
			'about:blank',
		],
		{stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'], detached: true},
	);
	const ended = once(child, 'exit');
	onTestFinished(async () => {
		// The whole group, because it is many processes.
		process.kill(-(child.pid ?? 0), 'SIGKILL');
		await ended;
		await rm(profile, {recursive: true, force: true, maxRetries: 5, retryDelay: 50});
	});
	return child;
}

function connect({stdio}: ChildProcess) {
	const [output, input] = [stdio[3] as Writable, stdio[4] as Readable];
	const answers = new Map<number, (message: Message) => void>();
	const listeners = new Map<string, (params: Record<string, unknown>) => void>();
	let last = 0;
	let rest = '';
	output.on('error', () => undefined);
	input.setEncoding('utf8').on('data', (chunk: string) => {
		const parts = `${rest}${chunk}`.split('\0');
		rest = parts.pop() ?? '';
		for (const message of parts.map(part => JSON.parse(part) as Message)) {
			answers.get(message.id ?? 0)?.(message);
			listeners.get(message.method ?? '')?.(message.params ?? {});
		}
	});

	const ask = async <Result>(method: string, params: object, sessionId?: string): Promise<Result> => {
		last += 1;
		const answer = new Promise<Message>(resolve => answers.set(last, resolve));
		output.write(`${JSON.stringify({id: last, method, params, sessionId})}\0`);
		const {result, error} = await answer;
		if (error) {
			throw new Error(`${method}: ${error.message}`);
		}

		return result as Result;
	};
	return Object.assign(ask, {
		listen: (method: string, listener: (params: Record<string, unknown>) => void) =>
			void listeners.set(method, listener),
		next: (method: string) => new Promise<void>(resolve => listeners.set(method, () => resolve())),
	});
}

function isExecutable(file: string): boolean {
	try {
		accessSync(file, constants.X_OK);
		return true;
	} catch {
		return false;
	}
}
