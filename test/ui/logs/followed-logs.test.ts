import {expect, onTestFinished, test} from 'vitest';
import type {LogAnswer} from '../../../src/contract/log-cursor.ts';
import {AppError} from '../../../src/core/error.ts';
import {describeState} from '../../../src/logs/tail-state.ts';
import {allLogs} from '../../../src/store/logs-slice.ts';
import {createAppStore} from '../../../src/store/store.ts';
import {createFollowedLogs} from '../../../src/ui/logs/followed-logs.ts';
import {down, jumpingClock, notFound, type Reply, refused} from '../../logs/tail-script.ts';
import {shop, triage} from '../log-parts.ts';

const server = 'http://127.0.0.1:8700';
const login = {server, profile: '127.0.0.1:8700'};

/** The tails with a clock that jumps, and a source that gives these answers and then the last one for ever. */
function tailing(isSeen: () => boolean = () => true, more: Partial<Parameters<typeof createFollowedLogs>[0]> = {}) {
	const store = createAppStore();
	const clock = jumpingClock();
	const tails = createFollowedLogs({store, clock, isSeen, ...more});
	onTestFinished(() => void tails.closeAll());
	const sourceOf = (replies: readonly Reply[]) => {
		let asked = 0;
		return async (_: unknown, signal: AbortSignal): Promise<LogAnswer> => {
			const reply = replies[Math.min(asked++, replies.length - 1)] ?? notFound;
			if (reply instanceof Error) {
				throw reply;
			}

			if (reply === 'hang') {
				await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
			}

			return typeof reply === 'string' ? {kind: 'window', text: reply} : reply;
		};
	};

	return {
		store,
		tails,
		open: (replies: readonly Reply[], given = {}) =>
			tails.open({environment: shop, ...login, title: 'web-shop', source: sourceOf(replies), follow: true, ...given}),
		log: (environment = shop) => store.getState().logs.find(log => log.environment === environment),
		state: () => {
			const log = store.getState().logs.find(({environment}) => environment === shop);
			return log ? describeState(log.state, clock.now()) : '';
		},
	};
}

const never = (_: number, signal: AbortSignal): Promise<void> =>
	new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

const untilLines = (log: () => {readonly lines: number} | undefined, count: number) =>
	expect.poll(() => log()?.lines, {interval: 5}).toBe(count);

test('new lines are kept, counted and summarized in the store', async () => {
	const {open, log, tails, store} = tailing();
	open(['one\ntwo\n', 'one\ntwo\nthree\n']);
	await untilLines(log, 3);
	expect(log()).toMatchObject({title: 'web-shop', hue: 0, gaps: 0, droppedLines: 0, unread: 0});
	expect(tails.entriesOf(shop)?.at(2)).toMatchObject({kind: 'line', seq: 3, text: 'three'});
	expect([store.getState().logFocus, store.getState().logPanel.isShown]).toEqual([shop, true]);
});

test('a log that is not on the screen continues, and its lines are unread', async () => {
	const {open, log} = tailing(() => false);
	open(['one\ntwo\n', 'one\ntwo\nthree\n']);
	await untilLines(log, 3);
	expect(log()?.unread).toBe(3);
});

test('lines that the filter of a log hides are never unread', async () => {
	const shows = (_: string, lines: readonly {readonly text: string}[]) => lines.map(({text}) => text.includes('o'));
	const {open, log} = tailing(() => false, {shows});
	open(['one\ntwo\n', 'one\ntwo\nthree\n']);
	await untilLines(log, 3);
	expect(log()?.unread).toBe(2);
});

test('a log shows what is wrong, and why it ended', async () => {
	const {open, state, log} = tailing();
	open(['one\n', 'other\n', down, 'other\n', refused]);
	await expect.poll(state, {interval: 5}).toBe('login needed');
	expect(log()?.gaps).toBe(1);
});

test('an environment that is gone ends its tail; opening it again starts over', async () => {
	const {open, state, log, store} = tailing();
	open(['one\n', notFound]);
	await expect.poll(state, {interval: 5}).toBe('ended: the environment is gone');
	open(['two\nthree\n']);
	await untilLines(log, 2);
	expect(store.getState().logs).toHaveLength(1);
});

test('opening a log again polls it at once, however long its server asked to wait', async () => {
	/** No timer ever rings. */
	const clock = {...jumpingClock(), sleep: never};
	const store = createAppStore();
	const tails = createFollowedLogs({store, clock});
	onTestFinished(() => void tails.closeAll());
	let asked = 0;
	const source = async (): Promise<LogAnswer> => {
		asked++;
		if (asked === 1) {
			throw new AppError('network', 'Too many requests.', {retryAfter: 2 ** 31});
		}

		return {kind: 'window', text: 'one\n'};
	};
	const log = {environment: shop, ...login, source, follow: true};
	tails.open(log);
	const state = () => store.getState().logs[0]?.state.name;
	await expect.poll(state, {interval: 5}).toBe('reconnecting');
	tails.open(log);
	await expect.poll(state, {interval: 5}).toBe('live');
	expect(asked).toBe(2);
});

test('closing a log returns a summary and drops its lines', async () => {
	const {open, log, tails, store} = tailing();
	open(['one\n', 'other\n', 'hang']);
	await untilLines(log, 2);
	expect(tails.close(shop)).toMatch(/^web-shop: 2 lines, 1 gap, /);
	expect([tails.close(shop), tails.entriesOf(shop), store.getState().logs]).toEqual(['', undefined, []]);
});

test('a log is held only with its login, whatever request is pending, and resumes at its place', async () => {
	const {open, log, state, tails} = tailing();
	open(['one\n', 'hang']);
	await untilLines(log, 1);
	tails.hold({...login, profile: 'another'});
	tails.hold({...login, server: 'http://elsewhere.test'});
	expect(state()).not.toContain('on hold');
	tails.hold(login);
	tails.resume();
	expect([state(), tails.entriesOf(shop)?.end()]).toEqual(['on hold: connected elsewhere', 1]);
	tails.release(login);
	expect(state()).not.toContain('on hold');
});

test('a log followed with one login starts over with another, and an ended log stays ended', async () => {
	const {open, log, state, tails, store} = tailing();
	open(['one\n', 'hang']);
	open(['other\n']);
	await untilLines(log, 1);
	tails.hold(login);
	open(['two\nthree\n', notFound], {profile: 'another'});
	await expect.poll(state, {interval: 5}).toBe('ended: the environment is gone');
	tails.hold({...login, profile: 'another'});
	expect([state(), log()?.lines, store.getState().logs.length]).toEqual(['ended: the environment is gone', 2, 1]);
});

test('several logs are read apart and together, each keeps its colour', async () => {
	const {open, log, tails, store} = tailing();
	open(['one\n', 'hang']);
	await untilLines(log, 1);
	open(['a\nb\n', 'hang'], {environment: triage});
	await untilLines(() => log(triage), 2);
	const all = tails.entriesOf(allLogs);
	const texts = [0, 1, 2].map(place => [all?.environmentAt?.(place), all?.at(place)]);
	expect(
		texts.map(([environment, entry]) => [environment, typeof entry === 'object' && 'text' in entry && entry.text]),
	).toEqual([
		[shop, 'one'],
		[triage, 'a'],
		[triage, 'b'],
	]);
	expect(store.getState().logs.map(({title, hue}) => [title, hue])).toEqual([
		['web-shop', 0],
		['web-shop 0b5e', 1],
	]);
	open(['last\n', 'hang'], {environment: 'c1'});
	await untilLines(() => log('c1'), 1);
	tails.close(shop);
	const rest = tails.entriesOf(allLogs);
	expect([rest?.environmentAt?.(0), rest?.environmentAt?.(2), rest?.end()]).toEqual([triage, 'c1', 3]);
	tails.close('c1');
	expect([tails.entriesOf(allLogs), log(triage)?.hue]).toEqual([undefined, 1]);
});
