import {PassThrough} from 'node:stream';
import {expect, onTestFinished} from 'vitest';
import type {Environment} from '../../../src/core/environment.ts';
import {createAppStore} from '../../../src/store/store.ts';
import {startLinear} from '../../../src/ui/linear.ts';
import type {AppProgram} from '../../../src/ui/open-conversation.ts';
import {finish, text as say, scriptedModel} from '../../agent/scripted.ts';
import {testProgram} from '../program.ts';

type Model = ReturnType<typeof scriptedModel>['ask'];

const same = (program: AppProgram) => program;

type Place = Partial<Pick<Parameters<typeof testProgram>[0], 'home' | 'folder' | 'more' | 'userTools'>> & {
	readonly env?: Environment;
	/** Changes the program before it is used. */
	readonly change?: (program: AppProgram) => AppProgram;
};

/** The app line by line, between lines that are typed and what is written; the terminal echoes what is typed by itself. */
export function runLinear(ask?: Model, place: Place = {}) {
	const {env, change = same, ...options} = place;
	let now = 0;
	let interrupt: () => void = () => undefined;
	const store = createAppStore();
	store.getState().setModel('custom/demo');
	const {program} = testProgram({store, ...options, ...(ask && {ask})});
	const stdin = new PassThrough();
	const stdout = new PassThrough();
	let written = '';
	stdout.on('data', (data: Buffer) => (written += data.toString('utf8')));
	const status = startLinear(
		{pick: false},
		{
			compose: async () => change(program),
			store,
			env: env ?? {NO_COLOR: '1'},
			stdin: Object.assign(stdin, {isTTY: true, setRawMode: () => stdin}) as never,
			stdout: Object.assign(stdout, {isTTY: true, columns: 80, rows: 24}) as never,
			version: '1.2.3',
			onInterrupt: listener => {
				interrupt = listener;
			},
			now: () => now,
		},
	);
	onTestFinished(async () => {
		stdin.end();
		expect(await status).toBe(0);
	});
	return {
		store,
		status,
		/** Presses Ctrl+C. */
		interrupt: () => interrupt(),
		/** Ends the input, and waits for the app to end. */
		async end() {
			stdin.end();
			await status;
		},
		resize(columns: number, rows: number) {
			Object.assign(stdout, {columns, rows});
			stdout.emit('resize');
		},
		wait(milliseconds: number) {
			now += milliseconds;
		},
		type: (text: string) => void stdin.write(text),
		text: () => withoutBells(written),
		/** Returns how often the bell rang. */
		bells: () => written.split('\u0007').length - 1,
		/** Returns everything that was written, byte by byte. */
		written: () => written,
		waitFor: (text: string) => expect.poll(() => withoutBells(written), {interval: 10}).toContain(text),
	};
}

function withoutBells(text: string): string {
	return text.replaceAll('\u0007', '');
}

/** A model that answers once it is let. */
export function waitingModel() {
	let answer: () => void = () => undefined;
	const asked = new Promise<void>(resolve => {
		answer = resolve;
	});
	return {...scriptedModel([asked, say('I am here.'), finish('stop')]), answer: () => answer()};
}
