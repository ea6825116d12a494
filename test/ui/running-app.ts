import {PassThrough, type Readable} from 'node:stream';
import {expect, onTestFinished} from 'vitest';
import {type AppStore, createAppStore} from '../../src/store/store.ts';
import type {AppProgram} from '../../src/ui/open-conversation.ts';
import {startApp} from '../../src/ui/start.tsx';
import {createEmulator} from './emulator.ts';
import {testProgram} from './program.ts';

type Flags = Parameters<typeof startApp>[0];
type Options = Omit<Parameters<typeof testProgram>[0], 'store'> & {
	readonly columns?: number;
	readonly rows?: number;
	/** Written to the terminal before the app starts. */
	readonly before?: string;
	/** What the terminal answers when asked for its version (DA2); by default as the emulator, which breaks rows. */
	readonly version?: string;
	readonly flags?: Partial<Flags>;
	/** Builds another program than that of the test, such as the real one. */
	readonly compose?: (store: AppStore) => Promise<AppProgram>;
};

/** The whole app between a keyboard and a terminal emulator. It has ended when its test has. */
export function runApp({
	columns = 80,
	rows = 24,
	before = '',
	version = '0;276;0',
	flags = {},
	compose,
	...options
}: Options = {}) {
	const store = createAppStore();
	store.getState().setModel('custom/demo');
	const emulator = createEmulator(columns, rows);
	emulator.stdout.write(before);
	const made = testProgram({...options, store});
	const stdin: Readable = new PassThrough();
	Object.assign(stdin, {isTTY: true, setRawMode: () => stdin, ref: () => stdin, unref: () => stdin});
	const keyboard = stdin as PassThrough;
	const stdout = emulator.stdout as NodeJS.WriteStream;
	const status = startApp(
		{pick: false, ...flags},
		{
			compose: async () => (compose ? compose(store) : made.program),
			store,
			env: {NO_COLOR: '1', ...options.env},
			stdin: stdin as NodeJS.ReadStream,
			stdout,
			version: '1.2.3',
			onInterrupt: () => undefined,
			process: {pid: 1, on: () => undefined, off: () => undefined, kill: () => undefined},
		},
	);
	status.catch(() => undefined);
	keyboard.write(version ? `\u001b[>${version}c` : '');
	onTestFinished(async () => {
		keyboard.end();
		await status.catch(() => undefined);
		emulator.dispose();
	});
	const screenText = async () => {
		await emulator.settle(5);
		return emulator.lines().join('\n');
	};

	return {
		...emulator,
		...made,
		store,
		status,
		type: (keys: string) => void keyboard.write(keys),
		/** Waits until a line of the terminal holds the text. */
		waitFor: (text: string) => expect.poll(screenText, {interval: 10}).toContain(text),
	};
}
