import {type ChildProcess, spawn} from 'node:child_process';
import {once} from 'node:events';
import {accessSync, constants, mkdtempSync} from 'node:fs';
import {rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {delimiter, join} from 'node:path';
import type {Readable, Writable} from 'node:stream';
import {setTimeout as sleep} from 'node:timers/promises';
import {expect, onTestFinished} from 'vitest';

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

/**
 * A page of a headless Chromium, driven through the DevTools protocol like a person with a keyboard. Nothing waits for an event,
 * which may come before it is waited for, or never: the page is asked for its state until that is as it should be. If the browser
 * ends, all of it rejects.
 */
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
	// The browser's first tab may come to the front late.
	await page('Page.bringToFront');
	await page('Emulation.setFocusEmulationEnabled', {enabled: true});

	/** Returns the value of an expression in the page as JSON; undefined while the page is replaced. */
	const evaluate = async <Value>(expression: string): Promise<Value | undefined> => {
		const answer = await page<{result: {value?: Value}}>('Runtime.evaluate', {expression, returnByValue: true}).catch(
			(error: Error) => {
				if (/context|navigated|target/i.test(error.message)) {
					return undefined;
				}

				throw error;
			},
		);
		return answer?.result.value;
	};

	/** Runs `act`, and waits until another document is there that takes keys. */
	const andLoad = async (act: () => Promise<unknown>) => {
		await evaluate(`globalThis.${mark} = true`);
		await act();
		while ((await evaluate<boolean>(isReady)) !== true) {
			await sleep(pollMs);
		}
	};
	const press = async (key: string, {text = '', modifiers = 0} = {}) => {
		for (const type of ['keyDown', 'keyUp']) {
			await page('Input.dispatchKeyEvent', {
				type,
				key,
				code: key,
				windowsVirtualKeyCode: codes[key],
				modifiers,
				...(type === 'keyDown' && text && {text}),
			});
		}
	};

	return {
		/** The browser's complaints about policy violations. */
		violations,
		command: page,
		open: (url: string) => andLoad(() => page('Page.navigate', {url})),
		reload: () => andLoad(() => page('Page.reload')),
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
		/** Presses Shift+Tab. */
		back: () => press('Tab', {modifiers: shift}),
		/** Presses Enter and waits for the next page. */
		enter: () => andLoad(() => press('Enter', {text: '\r'})),
	};
}

const pollMs = 20;

/** Of the modifiers of a key in the protocol. */
const shift = 8;

/** The property that a document has before an act that replaces it. */
const mark = '__leaving';

/**
 * Whether the document is another one, complete, painted and focused. Chromium drops keys before the first paint, and moves the
 * focus to the field with `autofocus` when it first draws, which is after `load` on a busy machine: an Enter before that is lost.
 */
const isReady = `globalThis.${mark} === undefined && location.href !== 'about:blank' && document.readyState === 'complete' &&
	performance.getEntriesByType('paint').length > 0 && document.hasFocus() &&
	[null, document.activeElement].includes(document.querySelector('[autofocus]'))`;

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
			// It would outlive the browser.
			'--disable-breakpad',
			'about:blank',
		],
		{stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'], detached: true},
	);
	const ended = once(child, 'exit');
	onTestFinished(async () => {
		// The whole group, because it is many processes; it may have ended.
		try {
			process.kill(-(child.pid ?? 0), 'SIGKILL');
		} catch (error) {
			expect(error).toMatchObject({code: 'ESRCH'});
		}

		await ended;
		await rm(profile, {recursive: true, force: true, maxRetries: 5, retryDelay: 50});
	});
	return child;
}

/** A question that waits for its answer. */
type Question = {readonly answer: (message: Message) => void; readonly fail: (error: Error) => void};

function connect(child: ChildProcess) {
	const [output, input] = [child.stdio[3] as Writable, child.stdio[4] as Readable];
	const questions = new Map<number, Question>();
	const listeners = new Map<string, (params: Record<string, unknown>) => void>();
	let last = 0;
	let rest = '';
	let ended: Error | undefined;
	const end = (reason: string) => {
		ended ??= new Error(`Chromium ended: ${reason}.`);
		for (const {fail} of questions.values()) {
			fail(ended);
		}

		questions.clear();
	};
	child.once('error', error => end(error.message));
	child.once('exit', (code, signal) => end(`status ${code ?? signal}`));
	output.on('error', error => end(error.message));
	input.on('close', () => end('its pipe was closed'));
	input.setEncoding('utf8').on('data', (chunk: string) => {
		const parts = `${rest}${chunk}`.split('\0');
		rest = parts.pop() ?? '';
		for (const message of parts.map(part => JSON.parse(part) as Message)) {
			questions.get(message.id ?? 0)?.answer(message);
			questions.delete(message.id ?? 0);
			listeners.get(message.method ?? '')?.(message.params ?? {});
			// A tab that crashed or was closed answers nothing any more.
			if (message.method === 'Inspector.targetCrashed' || message.method === 'Target.detachedFromTarget') {
				end(message.method);
			}
		}
	});

	const ask = async <Result>(method: string, params: object, sessionId?: string): Promise<Result> => {
		last += 1;
		const id = last;
		const {result, error} = await new Promise<Message>((answer, fail) => {
			if (ended) {
				fail(ended);
				return;
			}

			questions.set(id, {answer, fail});
			output.write(`${JSON.stringify({id, method, params, sessionId})}\0`);
		});
		if (error) {
			throw new Error(`${method}: ${error.message}`);
		}

		return result as Result;
	};
	return Object.assign(ask, {
		listen: (method: string, listener: (params: Record<string, unknown>) => void) =>
			void listeners.set(method, listener),
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
