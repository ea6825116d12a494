import fc from 'fast-check';
import {expect, onTestFinished, test, vi} from 'vitest';
import type {TerminalMode} from '../../src/terminal/terminal-modes.ts';
import {harness} from './session-harness.ts';

const startUp =
	'\u001b[?2026l\u001b[?1006l\u001b[?1000l\u001b[?1004l\u001b[?2004l\u001b[>4m\u001b>\u001b[?47l\u001b[?7h\u001b[?25h\u001b[0m\u001b[=0u';

test('starting resets what a killed run left on, and clears nothing of the screen [5]', () => {
	const {session, output} = harness();
	session.start();
	session.start();
	expect(output()).toBe(startUp);
});

test('a reset switches off every mode that is on, last first, and only once [5]', () => {
	const {session, output} = harness();
	session.enable('bracketed-paste');
	session.enable('bracketed-paste');
	session.enable('focus-reports');
	session.enable('hidden-cursor');
	session.disable('focus-reports');
	session.disable('modify-other-keys');
	expect(output()).toBe('\u001b[?2004h\u001b[?1004h\u001b[?25l\u001b[?1004l');

	session.reset();
	session.reset();
	expect(output()).toBe('\u001b[?25h\u001b[?2004l\u001b[0m');
});

test('on the alternate screen the wheel sends arrow keys, without a mouse mode', () => {
	const {session, output} = harness();
	session.enable('alternate-screen');
	expect(output()).toBe('\u001b[?1049h\u001b[?1007s\u001b[?1007h');
	session.disable('alternate-screen');
	expect(output()).toBe('\u001b[?1007r\u001b[?1049l');
});

test('the kitty flags move to the alternate screen, which has its own, and back', () => {
	const {session, output} = harness();
	session.enable('kitty-keyboard');
	session.enable('alternate-screen');
	expect(output()).toBe('\u001b[>5u\u001b7\u001b[<u\u001b[?1049h\u001b[?1007s\u001b[?1007h\u001b[>5u');

	session.disable('alternate-screen');
	expect(output()).toBe('\u001b7\u001b[<u\u001b[?1007r\u001b[?1049l\u001b[>5u');

	session.enable('alternate-screen');
	output();
	session.reset();
	expect(output()).toBe('\u001b7\u001b[<u\u001b[?1007r\u001b[?1049l\u001b[>5u\u001b7\u001b[<u\u001b[0m');
});

test.each(['exit', 'uncaughtExceptionMonitor'])('%s resets the terminal and does nothing else [5]', event => {
	const {session, hooks, killed, output} = harness();
	session.start();
	session.enable('bracketed-paste');
	output();
	hooks.emit(event);
	hooks.emit(event);
	expect({output: output(), killed}).toEqual({output: '\u001b[?2004l\u001b[0m', killed: []});
});

test.each(['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const)(
	'%s resets the terminal and then ends us [5]',
	signal => {
		const {session, hooks, killed, calls, output} = harness();
		session.start();
		session.enable('hidden-cursor');
		output();
		hooks.emit(signal);
		expect({output: output(), killed, calls}).toEqual({
			output: '\u001b[?25h\u001b[0m',
			killed: [[42, signal]],
			calls: ['suspend'],
		});
		expect(hooks.eventNames()).toEqual([]);
	},
);

test('Ctrl-Z resets and stops the job; the modes come back when it continues [5]', () => {
	const {session, hooks, killed, calls, output} = harness();
	session.start();
	session.enable('bracketed-paste');
	session.enable('hidden-cursor');
	output();

	hooks.emit('SIGTSTP');
	session.suspend();
	expect({output: output(), killed, calls, handlers: hooks.listenerCount('SIGTSTP')}).toEqual({
		output: '\u001b[?25h\u001b[?2004l\u001b[0m',
		killed: [[0, 'SIGTSTP']],
		calls: ['suspend'],
		handlers: 0,
	});

	hooks.emit('SIGCONT');
	expect({output: output(), calls, handlers: hooks.listenerCount('SIGTSTP')}).toEqual({
		output: '\u001b[?2004h\u001b[?25l',
		calls: ['suspend', 'resume'],
		handlers: 1,
	});
});

test("drawing while suspending leaves neither a hidden cursor nor rows that don't wrap", () => {
	const restored = '\u001b[?7h\u001b[?25h';
	const {session, hooks, output} = harness();
	session.start();
	session.enable('drawing');
	output();
	session.suspend();
	expect(output()).toBe(`${restored}\u001b[0m${restored}`);

	hooks.emit('SIGCONT');
	expect(output()).toBe('\u001b[?7l');
	hooks.emit('SIGTERM');
	expect(output()).toBe(`${restored}\u001b[0m${restored}`);
});

test('a job that cannot be stopped continues by itself', () => {
	vi.useFakeTimers();
	try {
		const {session, calls} = harness();
		session.start();
		session.suspend();
		vi.advanceTimersByTime(1000);
		expect(calls).toEqual(['suspend', 'resume']);

		session.suspend();
		session.end();
		vi.advanceTimersByTime(1000);
		expect(calls).toEqual(['suspend', 'resume', 'suspend']);
	} finally {
		vi.useRealTimers();
	}
});

test.each([
	['a dumb terminal', {TERM: 'dumb'}, true],
	['a pipe', {TERM: 'xterm'}, false],
])('%s gets no sequences', (_name, environment, isTTY) => {
	const {session, output} = harness(environment, isTTY);
	session.start();
	session.enable('bracketed-paste');
	session.signal('\u0007');
	session.show('title', '\u001b]2;x\u001b\\');
	expect(session.copy('text')).toBe(undefined);
	session.end();
	expect(output()).toBe('');
});

test.each<Record<string, string>>([{TERM: 'linux'}, {TERM: 'xterm-256color', TERM_PROGRAM: 'Apple_Terminal'}])(
	'no key mode is switched on in a terminal that reads it as a colour or an underline: %o',
	env => {
		const {session, output} = harness(env);
		session.start();
		output();
		session.enable('kitty-keyboard');
		session.enable('modify-other-keys');
		session.enable('meta-sends-escape');
		expect(output()).toBe('');
	},
);

test('kitty keys end where the cursor stands, also in Konsole, which restores a saved cursor instead', () => {
	const {session, output} = harness();
	session.enable('kitty-keyboard');
	session.reset();
	expect(output()).toContain('\u001b7\u001b[<u');
});

test('keys with modifiers are asked for at a level that leaves Ctrl+C as it is, and given back as they were', () => {
	const {session, output} = harness();
	session.enable('meta-sends-escape');
	session.enable('modify-other-keys');
	expect(output()).toBe('\u001b[?1036s\u001b[?1036h\u001b[>4;1m');
	session.reset();
	expect(output()).toBe('\u001b[>4m\u001b[?1036r\u001b[0m');
});

test('a copy is encoded whole and without control characters, or not sent [3]', () => {
	const {session, output} = harness();
	expect(session.copy('é\u001b')).toBe('OSC 52');
	expect(output()).toBe(`\u001b]52;c;${Buffer.from('é').toString('base64')}\u001b\\`);
	expect(session.copy('x'.repeat(80_000))).toBe(undefined);
	expect(output()).toBe('');
});

test('nothing is sent to a terminal that is known not to copy, and nothing is said to be copied', () => {
	const {session, output} = harness({TERM: 'xterm-256color', VTE_VERSION: '7600'});
	expect(session.copy('text')).toBe(undefined);
	expect(output()).toBe('');
});

test('a copy in tmux or GNU screen reaches the terminal around it', () => {
	const encoded = Buffer.from('text').toString('base64');
	const inTmux = harness({TMUX: '/nonexistent,1,0', PATH: '/nonexistent'});
	expect(inTmux.session.copy('text')).toBe('through tmux');
	expect(inTmux.output()).toBe(`\u001b]52;c;${encoded}\u001b\\\u001bPtmux;\u001b\u001b]52;c;${encoded}\u0007\u001b\\`);

	const inScreen = harness({STY: '1.pts-0.host'});
	inScreen.session.copy('x'.repeat(300));
	const parts = inScreen.output().split('\u001b\\').filter(Boolean);
	expect(parts.every(part => part.startsWith('\u001bP') && part.length <= 78)).toBe(true);
	const whole = parts.map(part => part.slice(2)).join('');
	expect(whole).toBe(`\u001b]52;c;${Buffer.from('x'.repeat(300)).toString('base64')}\u0007`);
});

const modes: readonly TerminalMode[] = [
	'alternate-screen',
	'bracketed-paste',
	'hidden-cursor',
	'kitty-keyboard',
	'modify-other-keys',
	'meta-sends-escape',
	'focus-reports',
];

test('after any switches, a reset leaves no mode on and never erases or resets the screen [5]', () => {
	fc.assert(
		fc.property(fc.array(fc.tuple(fc.constantFrom(...modes), fc.boolean())), switches => {
			const {session, output} = harness();
			session.start();
			for (const [mode, on] of switches) {
				(on ? session.enable : session.disable)(mode);
			}

			session.end();
			const all = output().slice(startUp.length);
			const on = [...all.matchAll(/\u001b\[\?(\d+)[hlr]/g)].reduce(
				(state, [sequence, mode]) => state.set(mode ?? '', sequence.endsWith('h')),
				new Map<string, boolean>(),
			);
			expect([...on].filter(([mode, set]) => set !== (mode === '25'))).toEqual([]);
			expect(all.split('\u001b[?1007s').length).toBe(all.split('\u001b[?1007r').length);
			expect(all.split('\u001b[>5u').length).toBe(all.split('\u001b[<u').length);
			expect(all).not.toMatch(/\u001b(?:c|\[[23]?J)/);
		}),
	);
});

test.each(['SIGINT', 'SIGQUIT'] as const)(
	'%s that comes a moment after the program that had the terminal was ended by it is no end of ours',
	async signal => {
		vi.useFakeTimers();
		onTestFinished(() => void vi.useRealTimers());
		const {session, hooks, killed} = harness();
		session.start();
		await session.lend(async () => undefined);
		hooks.emit(signal);
		expect(killed).toEqual([]);
		vi.advanceTimersByTime(1000);
		hooks.emit(signal);
		expect(killed).toEqual([[42, signal]]);
	},
);
