import {readdirSync} from 'node:fs';
import {join} from 'node:path';
import {PassThrough, type Readable} from 'node:stream';
import {onTestFinished} from 'vitest';
import type {ProviderEvent} from '../../../src/providers/provider.ts';
import {createAppStore} from '../../../src/store/store.ts';
import type {HookedEvent} from '../../../src/terminal/suspension.ts';
import {defaultCellWidths, setCellWidths} from '../../../src/terminal/text/cell-widths.ts';
import {startApp} from '../../../src/ui/start.tsx';
import {finish, text} from '../../agent/scripted.ts';
import {testProgram} from '../program.ts';
import type {ContractTerminal} from './emulated-terminal.ts';
import type {TerminalKind} from './kinds.ts';
import type {VirtualTime} from './virtual-time.ts';

type Options = Partial<Omit<Parameters<typeof testProgram>[0], 'store' | 'ask'>> & {
	readonly kind: TerminalKind;
	readonly terminal: ContractTerminal;
	readonly time: VirtualTime;
	/** Continues this session. */
	readonly session?: string;
};

/** An answer of the model that the test writes, piece by piece. */
export function createAnswer() {
	let waiting: ProviderEvent[] = [];
	let wake: () => void = () => undefined;
	let isAsked = false;
	const push = (event: ProviderEvent) => {
		waiting.push(event);
		wake();
	};
	return {
		say: (words: string) => push(text(words)),
		finish: () => push(finish('stop')),
		/** Returns whether the model was asked. */
		isAsked: () => isAsked,
		async *ask(): AsyncGenerator<ProviderEvent> {
			isAsked = true;
			for (;;) {
				const events = waiting;
				waiting = [];
				for (const event of events) {
					yield event;
					if (event.type === 'finish') {
						return;
					}
				}

				if (waiting.length === 0) {
					await new Promise<void>(resolve => {
						wake = resolve;
					});
				}
			}
		},
	};
}

/** Starts the whole app in a window of a terminal, with its clocks in the hands of the test. It ends with its test. */
export async function startInTerminal({kind, terminal, time, session, ...options}: Options) {
	const {stdout, window, scrollback} = terminal;
	const store = createAppStore();
	store.getState().setModel('custom/demo');
	const answer = createAnswer();
	const made = testProgram({...options, store, ask: answer.ask});
	const stdin: Readable = new PassThrough();
	Object.assign(stdin, {isTTY: true, setRawMode: () => stdin, ref: () => stdin, unref: () => stdin});
	const keyboard = stdin as PassThrough;
	terminal.onReply(data => keyboard.write(data));
	const stopHolding = time.holdWhile(terminal.isAsked);
	const hooks = new Map<HookedEvent, () => void>();
	const sent: NodeJS.Signals[] = [];
	const status = startApp(
		{pick: false, ...(session && {resume: session})},
		{
			compose: async () => made.program,
			store,
			env: kind.env,
			stdin: stdin as NodeJS.ReadStream,
			stdout,
			version: '1.2.3',
			onInterrupt: () => undefined,
			process: {
				pid: 1,
				on: (event, listener) => hooks.set(event, listener),
				off: event => hooks.delete(event),
				kill: (_, signal) => sent.push(signal),
			},
		},
	);
	status.catch(() => undefined);
	onTestFinished(async () => {
		keyboard.end();
		store.getState().closePanel();
		await time.pass(400);
		await status.catch(() => undefined);
		setCellWidths(defaultCellWidths);
	});
	const screenText = () => [...scrollback(), ...window()].join('\n');
	const waitFor = (found: string | (() => boolean)) =>
		time.until(
			async () => {
				if (typeof found !== 'string') {
					return found();
				}

				await terminal.parsed();
				return screenText().includes(found);
			},
			() => `${found}\n${screenText()}`,
		);
	return {
		...made,
		...answer,
		store,
		terminal,
		/** Signals that the app has sent, and what the system calls when one arrives. */
		signals: {sent, raise: (name: HookedEvent) => hooks.get(name)?.()},
		/** Types keys, and lets the app draw. */
		async type(keys: string) {
			keyboard.write(keys);
			await time.turns();
		},
		waitFor,
		/** Returns the files that say that a session is open. */
		locks: () =>
			readdirSync(made.home.path, {recursive: true, encoding: 'utf8'})
				.filter(path => path.endsWith('.lock'))
				.map(path => join(made.home.path, path)),
		/** Waits until the session is saved. */
		async saved() {
			let isDone = false;
			void made.program.session.conversation.saved().then(() => {
				isDone = true;
			});
			await waitFor(() => isDone);
		},
		/** Quits, and waits until everything is saved. */
		async quit() {
			let isDone = false;
			keyboard.write('\u0004');
			void status.finally(() => {
				isDone = true;
			});
			await waitFor(() => isDone);
			stopHolding();
		},
	};
}

export type ContractApp = Awaited<ReturnType<typeof startInTerminal>>;
