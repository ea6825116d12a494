import {setImmediate} from 'node:timers/promises';
import {render} from 'ink-testing-library';
import {createElement, type ReactElement} from 'react';
import {describe, expect, onTestFinished, test, vi} from 'vitest';
import {startedTool} from '../../src/core/session/reduce-transcript.ts';
import type {Transcript} from '../../src/core/session/transcript.ts';
import {noUsage} from '../../src/core/session/usage.ts';
import {describeState} from '../../src/logs/tail-state.ts';
import {type AppState, createAppStore} from '../../src/store/store.ts';
import {createPalette} from '../../src/terminal/text/style.ts';
import {lineWidth} from '../../src/terminal/text/width.ts';
import {UiContext} from '../../src/ui/context.ts';
import {openPanel} from '../../src/ui/panels/panels.ts';
import {createLiveLines} from '../../src/ui/screen/frame.ts';
import {Status, StatusLine} from '../../src/ui/status-line.tsx';

const ready = {profile: 'local', server: 'http://127.0.0.1:1', state: 'ready'} as const;
const run = {id: 'r', model: 'custom/demo', server: 'local', startedAt: '2026-01-01T00:00:00.000Z'};
const question = {kind: 'confirm', question: 'Run this command?', answers: [], askedAt: 0} as const;
const usage: Transcript['usage'] = new Map([
	['m1', {model: 'openai/x', current: true, at: '', usage: {...noUsage, input: 800, cacheRead: 500, output: 60}}],
	['m2', {model: 'openai/x', current: true, at: '', usage: {...noUsage, input: 1000, cacheWrite: 200, output: 40}}],
]);
const prices = {
	priceOf: () => ({input: 1, cacheRead: 0.1, cacheWrite: 1, output: 10}),
	infoOf: (id: string) => ({id, name: id, contextWindow: 10_000}),
};

type Given = Partial<Omit<AppState, 'transcript'>> & {
	readonly transcript?: Partial<Transcript>;
	readonly elapsed?: number;
	readonly silent?: number;
};

/** The line as it is drawn in a window of that many columns. */
function line({elapsed = 0, silent = 0, ...given}: Given, columns = 100): string {
	return drawn(given, createElement(StatusLine, {elapsedMs: elapsed, silentMs: silent}), columns).lastFrame() ?? '';
}

function drawn({transcript, ...state}: Omit<Given, 'elapsed' | 'silent'>, element: ReactElement, columns = 100) {
	const store = createAppStore();
	store.setState(before => ({
		connection: ready,
		model: 'custom/demo',
		...state,
		size: {columns, rows: 24},
		transcript: {...before.transcript, ...transcript},
	}));
	const ui = {
		store,
		palette: createPalette({color: false}),
		entries: () => [],
		logs: () => undefined,
		live: createLiveLines(),
		answer: () => undefined,
		setCaret: () => undefined,
		setPrompt: () => undefined,
		limitLive: () => undefined,
	};
	const {lastFrame, unmount} = render(<UiContext value={ui}>{element}</UiContext>);
	onTestFinished(unmount);
	return {store, lastFrame};
}

describe('the status line', () => {
	test.each([
		['at rest', {}, 'local · custom/demo · ○ idle'],
		['while a run begins', {transcript: {run}}, 'local · custom/demo · ● working'],
		['while a run goes on', {transcript: {run}, elapsed: 7000}, 'local · custom/demo · ● working 7 s'],
		[
			'while the model is silent',
			{transcript: {run}, elapsed: 47_000, silent: 30_000},
			'local · custom/demo · ● working 47 s · no output for 30 s, Esc to interrupt',
		],
		[
			'while it asks',
			{transcript: {run}, panel: question, manner: 'asks' as const, elapsed: 7000},
			'local · custom/demo · ● waiting for you',
		],
		[
			'after an interrupt',
			{transcript: {run}, isStopping: true, elapsed: 7000},
			'local · custom/demo · ● stopping 7 s',
		],
		['after minutes of a run', {transcript: {run}, elapsed: 184_000}, 'local · custom/demo · ● working 3 m 04 s'],
		['while a command works', {busy: true}, 'local · custom/demo · ● busy'],
		['while a named command works', {busy: true, command: 'env create'}, 'local · custom/demo · ● /env create'],
		[
			'while the server starts',
			{connection: {profile: 'local', server: 'local', state: 'starting'}} as const,
			'local starting… · custom/demo · ○ idle',
		],
		[
			'without a server',
			{connection: {...ready, profile: 'work', state: 'failed'}} as const,
			'work not connected · custom/demo · ○ idle',
		],
		[
			'with a profile that is not named as its server',
			{connection: {profile: 'work', server: 'https://app.example.com', state: 'ready'}} as const,
			'work (app.example.com) · custom/demo · ○ idle',
		],
		[
			'with a profile that is named as its server',
			{connection: {profile: 'app.example.com', server: 'https://app.example.com', state: 'ready'}} as const,
			'app.example.com · custom/demo · ○ idle',
		],
		['without a model', {model: undefined}, 'local · no model · ○ idle'],
		['when nothing can be saved [19]', {unsaved: 'disk full'}, 'local · custom/demo · ○ idle · not saved: disk full'],
	])('%s', (_, state, expected) => {
		expect(line(state)).toBe(expected);
	});

	test('shows watches, and when a sandbox of this server expires', () => {
		const watch = {
			condition: 'x',
			environment: 'e',
			server: '',
			profile: '',
			every: 1,
			ask: undefined,
			session: '',
			perHour: 6,
		};
		const started = {...watch, startedAt: 0, found: 0, turns: [], state: 'live'};
		const [one, two] = [
			{...started, number: 1},
			{...started, number: 2},
		];
		vi.useFakeTimers({toFake: ['Date'], now: Date.UTC(2026, 0, 1)});
		onTestFinished(() => void vi.useRealTimers());
		const ending = (minutes: number, server: string = ready.server) => {
			const sandbox = {environment: 'e', task: 't', server};
			return [{...sandbox, expiresAt: Date.now() + minutes * 60_000 - 100}];
		};
		expect(line({watches: [one]})).toBe('local · custom/demo · ○ idle · watching');
		expect(line({watches: [one, two], unsaved: 'disk full'}, 40)).toBe(
			'○ idle · watching 2 · not saved: disk full'.slice(9),
		);
		const waiting = {...two, state: 'reconnecting in 3 s (attempt 2)'};
		expect(line({watches: [one, waiting]})).toBe('local · custom/demo · ○ idle · watching 2: reconnecting');
		const held = {...two, state: describeState({name: 'held'}, 0)};
		expect(line({watches: [held]})).toBe('local · custom/demo · ○ idle · watching: on hold');
		expect(line({sandboxes: ending(42)})).toBe('local · custom/demo · ○ idle · sandbox 42 min');
		expect(line({sandboxes: ending(90)})).toBe('local · custom/demo · ○ idle · sandbox 1 h 30 m');
		expect(line({sandboxes: ending(4)})).toBe('local · custom/demo · ○ idle · sandbox ends in 4 m 00 s');
		expect(line({sandboxes: ending(0)})).toBe('local · custom/demo · ○ idle');
		expect(line({sandboxes: ending(42, 'https://other.test')})).toBe('local · custom/demo · ○ idle');
	});

	test('shows how full the context is, and the cost', () => {
		expect(line({transcript: {usage}, ...prices})).toBe('local · custom/demo · ○ idle · context 12% · $0.0030');
	});

	test('repeats no unknown cost, and shows tokens where the context window is unknown', () => {
		expect(line({transcript: {usage}})).toBe('local · custom/demo · ○ idle · context 1.2k');
	});

	test.each([
		[80, 'local · custom/demo · ○ idle · context 12% · $0.0030'],
		[50, 'custom/demo · ○ idle · context 12% · $0.0030'],
		[44, 'custom/demo · ○ idle · context 12% · $0.0030'],
		[30, 'custom/demo · ○ idle · $0.0030'],
		[20, '○ idle · $0.0030'],
	])('leaves out the least important parts in %i columns', (columns, expected) => {
		expect(line({transcript: {usage}, ...prices}, columns)).toBe(expected);
	});

	test.each([100, 80, 40, 20])('shows in %i columns that nothing is saved [19]', columns => {
		const state = {transcript: {usage, run}, elapsed: 65_000, unsaved: 'disk full', ...prices};
		expect(line(state, columns)).toContain('not saved: disk full');
	});

	test.each([100, 80, 40, 20])('always fits in %i columns with whole parts', columns => {
		const short = line({transcript: {usage, run}, elapsed: 65_000, unsaved: 'disk full', ...prices}, columns);
		expect(lineWidth(short)).toBeLessThanOrEqual(columns);
		const parts = ['local', 'custom/demo', '● working 1 m 05 s', 'not saved: disk full', '$0.0030'];
		expect([...parts, 'context 12%']).toEqual(expect.arrayContaining(short.split(' · ')));
	});

	test('makes names and reasons safe [1] [2]', () => {
		const hostile = 'a\u001b[2Jb\u202Ec';
		const shown = 'a␛[2Jb⟨U+202E⟩c';
		const connection = {profile: hostile, server: `https://x${hostile}`, state: 'ready'} as const;
		expect(line({connection})).toBe(`${shown} (x${shown}) · custom/demo · ○ idle`);
		expect(line({model: hostile, unsaved: hostile})).toBe(`local · ${shown} · ○ idle · not saved: ${shown}`);
	});
});

test('a model that writes nothing for ten seconds is named, until it writes or calls a tool', async () => {
	vi.useFakeTimers({toFake: ['setInterval', 'clearInterval', 'Date']});
	// React leaves the rest of its work for a later turn if five milliseconds are over, as on a busy machine.
	const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now());
	onTestFinished(() => {
		clock.mockRestore();
		vi.useRealTimers();
	});
	const {store, lastFrame} = drawn({transcript: {run}}, createElement(Status));
	const change = (part: Partial<Transcript>) =>
		store.setState(({transcript}) => ({transcript: {...transcript, seq: transcript.seq + 1, ...part}}));
	/** Returns what is shown of the silence when each of these seconds was drawn. */
	const after = async (seconds: number) => {
		for (let second = 0; second < seconds; second++) {
			vi.advanceTimersByTime(1000);
			await setImmediate();
		}

		return /no output for .*/.exec(lastFrame() ?? '')?.[0];
	};
	expect(await after(9)).toBeUndefined();
	expect(await after(3)).toBe('no output for 12 s');
	change({});
	expect(await after(1)).toBeUndefined();
	expect(await after(60)).toBe('no output for 1 m 00 s, Esc to interrupt');
	const call = {type: 'tool-call', id: 'c', messageId: 'm', name: 'run_command', arguments: {command: 'make'}} as const;
	change({open: [startedTool(call, run.model, run.startedAt)]});
	expect(await after(60)).toBeUndefined();
	change({open: []});
	expect(await after(15)).toBe('no output for 14 s');
	change({run: undefined});
	expect(await after(3600)).toBeUndefined();
	change({run: {...run, id: 'later'}});
	expect(await after(5)).toBeUndefined();
	expect(await after(15)).toBe('no output for 19 s');
});

test('a command that takes longer shows its own time, without that of a question', async () => {
	vi.useFakeTimers({toFake: ['setInterval', 'clearInterval', 'Date']});
	onTestFinished(() => void vi.useRealTimers());
	const {store, lastFrame} = drawn({busy: true, command: 'login'}, createElement(Status));
	const shown = () => expect.poll(() => lastFrame()?.split(' · ').at(-1));
	await shown().toBe('● /login');
	vi.advanceTimersByTime(3000);
	await shown().toBe('● /login 3 s');
	openPanel(store, {kind: 'confirm', question: 'Sure?', askedAt: 0});
	await shown().toBe('● waiting for you');
	vi.advanceTimersByTime(60_000);
	store.getState().closePanel();
	await shown().toBe('● /login');
	store.getState().setBusy(true, 'env list');
	vi.advanceTimersByTime(2000);
	await shown().toBe('● /env list 2 s');
});

test('usage is added up when it changes, not with every drawing', async () => {
	let reads = 0;
	const counted = new Map(usage);
	counted.values = () => {
		reads += 1;
		return usage.values();
	};
	const {store, lastFrame} = drawn({...prices, transcript: {usage: counted}}, createElement(Status), 200);
	const before = reads;
	store.setState({jobs: 1});
	store.setState({approvalMode: 'all'});
	await expect.poll(lastFrame).toContain('all mode');
	expect([before > 0, reads]).toEqual([true, before]);
	store.setState(({transcript}) => ({transcript: {...transcript, usage: new Map([...usage].slice(0, 1))}}));
	await expect.poll(lastFrame).toContain('context 14%');
});
