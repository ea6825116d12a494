import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {allLogs} from '../../../src/store/logs-slice.ts';
import {countSteps} from '../../growth.ts';
import {openAppLogs, profile, server} from '../app-logs-harness.ts';
import {titleOf} from '../frame.ts';
import {keys} from '../key-presses.ts';
import {shop, triage} from '../log-parts.ts';

/** Lines of a log from one number on, with their newlines. */
const requests = (from: number, count: number) =>
	Array.from({length: count}, (_, line) => `level=info path=/products/${from + line} status=200\n`).join('');

const hostile = 'sk-live0123456789abcdefghij \u001b]52;c;eA==\u0007rm -rf ~';

test('lines are found, copied, saved and attached; copied text contains no control sequence [1] [3] [8]', async () => {
	const {appLogs, follow, press, window, copied, folder, store, lines} = openAppLogs();
	follow(async () => ({kind: 'window', text: `one\n${hostile}\nthree\n`}));
	await expect.poll(lines, {interval: 5}).toBe(3);
	expect(appLogs.openViewer()).toBe(true);
	press('/rm', keys.enter);
	await expect.poll(() => window()[2], {interval: 5}).toContain('❯•');
	press('c');
	expect(copied).toEqual(['sk-live0123456789abcdefghij ␛]52;c;eA==␇rm -rf ~']);
	press('s', '\u0015~/saved.log', keys.enter);
	await expect.poll(() => window().at(-1), {interval: 5}).toBe(`Saved 3 lines to ${join(folder, 'saved.log')}`);
	expect(readFileSync(join(folder, 'saved.log'), 'utf8')).toBe(`one\n${hostile}\nthree\n`);
	press('s', '\u0015saved.log', keys.enter);
	await expect.poll(() => window().at(-1), {interval: 5}).toContain('already exists.');
	press('a');
	const {composer} = store.getState();
	expect(composer.folds.map(({label}) => label)).toEqual(['[Log 5eefeae8 1 line]']);
	expect(composer.folds[0]?.text).not.toContain('sk-live0123456789abcdefghij');
});

test('a search without a match says so, and so does one that wraps around', async () => {
	const {appLogs, follow, press, window, lines} = openAppLogs();
	follow(async () => ({kind: 'window', text: 'one\ntwo\nthree\n'}));
	await expect.poll(lines, {interval: 5}).toBe(3);
	appLogs.openViewer();
	press('/four', keys.enter);
	await expect.poll(() => window().at(-1), {interval: 5}).toBe('No match for four');
	press('/one', keys.enter);
	await expect.poll(() => window()[1], {interval: 5}).toBe('❯•one');
	press('n');
	await expect.poll(() => window().at(-1), {interval: 5}).toBe('Search wrapped around.');
});

test('a filter that takes forever is removed, with a note', async () => {
	const {appLogs, follow, press, window, lines} = openAppLogs();
	follow(async () => ({kind: 'window', text: `one\n${'a'.repeat(5000)}!\n`}));
	await expect.poll(lines, {interval: 5}).toBe(2);
	appLogs.openViewer();
	press('&(a+)+$', keys.enter);
	await expect.poll(() => window().at(-1), {interval: 5}).toContain('takes too long on this log.');
	press('j');
	await expect.poll(() => window()[1], {interval: 5}).toBe('  one');
});

test('without a log, the viewer does not open and the panel has no line', () => {
	const {appLogs} = openAppLogs();
	expect([appLogs.openViewer(), appLogs.panelLines({columns: 80, rows: 0})]).toEqual([false, []]);
});

test('another connection holds the logs, and they resume when the first one is back', async () => {
	const {store, follow, lines, appLogs} = openAppLogs();
	const {setConnection} = store.getState();
	const home = {profile, server, state: 'ready'} as const;
	const title = () => appLogs.panelLines({columns: 80, rows: 1})[0];
	setConnection(home);
	let text = 'one\n';
	let asked = 0;
	follow(async () => {
		asked++;
		return {kind: 'window', text};
	});
	await expect.poll(lines, {interval: 5}).toBe(1);
	setConnection({profile: 'b', server: 'https://b.test', state: 'ready'});
	expect(appLogs.panelLines({columns: 80, rows: 2}).map(titleOf)).toEqual([
		'web-shop 5eefeae8 · on hold: connected elsewhere · Ctrl+G open · Alt+L hide',
		'  one',
	]);
	const askedBefore = asked;
	text = 'one\ntwo\n';
	// Neither the same server with another login, nor the end of a suspension, lets it go on.
	setConnection({profile: 'other', server, state: 'ready'});
	appLogs.suspend();
	appLogs.resume();
	setConnection({profile: 'other', server, state: 'ready'});
	await new Promise(resolve => setTimeout(resolve, 20));
	expect([title(), asked]).toEqual([expect.stringContaining('on hold'), askedBefore]);
	setConnection(home);
	await expect.poll(lines, {interval: 5}).toBe(2);
	expect(titleOf(title() ?? '')).toBe('web-shop 5eefeae8 · live · 2 lines · Ctrl+G open · Alt+L show');
});

test('lines missed while the app was connected elsewhere are marked as missing', async () => {
	const {store, follow, appLogs} = openAppLogs();
	const home = {profile, server, state: 'ready'} as const;
	store.getState().setConnection(home);
	let text = 'one\n';
	follow(async () => ({kind: 'window', text}));
	await expect.poll(() => appLogs.panelLines({columns: 80, rows: 2})[1], {interval: 5}).toBe('  one');
	store.getState().setConnection({profile: 'b', server: 'https://b.test', state: 'ready'});
	text = 'eight\nnine\n';
	store.getState().setConnection(home);
	await expect
		.poll(() => appLogs.panelLines({columns: 80, rows: 5}).slice(1), {interval: 5})
		.toEqual(['  one', '  -- lines may be missing here --', '  eight', '  nine']);
});

test('a log that is opened again is followed at its end, without its old filter', async () => {
	const {appLogs, follow, press, lines, window} = openAppLogs(80, 6);
	follow(async () => ({kind: 'window', text: 'one\ntwo\n'}), {patterns: ['two']});
	await expect.poll(lines, {interval: 5}).toBe(2);
	appLogs.openViewer();
	press('k');
	await expect.poll(() => window().slice(0, 2), {interval: 5}).toEqual([expect.stringContaining('paused'), '❯ two']);
	press('q');
	appLogs.close(shop);
	follow(async () => ({kind: 'window', text: 'one\ntwo\n'}));
	await expect.poll(lines, {interval: 5}).toBe(2);
	appLogs.openViewer();
	await expect
		.poll(() => window().slice(0, 3), {interval: 5})
		.toEqual(['web-shop 5eefeae8 · live · 2 lines', '  one', '  two']);
});

test('all logs together are followed at their end again when one is closed, with the same filter', async () => {
	const {store, appLogs, follow, press, window} = openAppLogs(80, 8);
	const lines = () => store.getState().logs.map(log => log.lines);
	follow(async () => ({kind: 'window', text: 'one of shop\ntwo of shop\nthree\n'}));
	follow(async () => ({kind: 'window', text: 'one of triage\ntwo of triage\n'}), {
		environment: triage,
		title: 'triage',
	});
	follow(async () => ({kind: 'window', text: 'one of a third\n'}), {environment: 'third', title: 'third'});
	await expect.poll(lines, {interval: 5}).toEqual([3, 2, 1]);
	store.getState().focusLog(allLogs);
	appLogs.openViewer();
	press('&of\r', 'k', 'k');
	const top = () => window()[0];
	await expect.poll(top, {interval: 5}).toContain('paused');
	appLogs.close(shop);
	await expect.poll(top, {interval: 5}).not.toContain('paused');
	expect(window().filter(line => line.includes('│'))).toHaveLength(3);
	expect(window().join('\n')).toContain('filter of');
});

test('the viewer opens at a moment of the conversation', async () => {
	const {appLogs, follow, window, lines} = openAppLogs(80, 6);
	let text = 'early\n'.repeat(20);
	follow(async () => ({kind: 'window', text}));
	await expect.poll(lines, {interval: 5}).toBe(20);
	const at = Date.now() + 1;
	await new Promise(resolve => setTimeout(resolve, 5));
	text += 'late\nlater\n';
	await expect.poll(lines, {interval: 5}).toBe(22);
	appLogs.openViewer(at);
	await expect.poll(() => window().filter(line => line.startsWith('❯')), {interval: 5}).toEqual(['❯ late']);
});

test('the title of the panel names the filter of the log in front, with the lines that it hides', async () => {
	const {appLogs, follow, press, lines} = openAppLogs();
	follow(async () => ({kind: 'window', text: 'INFO: ready\nWARN: slow\nERROR: no rate\nINFO: done\n'}));
	await expect.poll(lines, {interval: 5}).toBe(4);
	const titleOf = () => appLogs.panelLines({columns: 120, rows: 5})[0];
	expect(titleOf()).not.toContain('hidden');
	appLogs.openViewer();
	press('l', 'l', 'l');
	await expect.poll(titleOf, {interval: 5}).toContain(' · level>=warn · 2 hidden');
	press('&slow', keys.enter);
	await expect.poll(titleOf, {interval: 5}).toContain(' · level>=warn · slow · 3 hidden');
});

/** Counts turns of the event loop while `isBusy`, and calls `each` in some of them. */
async function turnsWhile(isBusy: () => boolean, each: (turn: number) => void): Promise<number> {
	let turns = 0;
	for (; isBusy(); turns++) {
		await new Promise<void>(resolve => setImmediate(resolve));
		if (turns % 10 === 0) {
			each(turns / 10);
		}
	}

	return turns;
}

test('a burst of 100,000 lines gives keys a turn every 2,000 lines, and memory stays under its cap', async () => {
	const count = 100_000;
	const {appLogs, follow, press, store, lines, window} = openAppLogs();
	const text = requests(0, count);
	follow(async () => ({kind: 'window', text}));
	appLogs.openViewer();
	press('&products', keys.enter);
	const pressed = [keys.up, keys.pageUp, 'k', `\u001b[F`, 't', 'w', keys.down];
	const turns = await turnsWhile(
		() => lines() < count,
		time => {
			press(pressed[time % pressed.length] ?? 'k');
			appLogs.panelLines({columns: 80, rows: 7});
		},
	);
	expect(turns).toBeGreaterThanOrEqual(count / 2000);
	expect(store.getState().logs[0]).toMatchObject({lines: 100_000, droppedLines: 50_000, gaps: 0});
	press(`\u001b[F`);
	await expect.poll(() => window()[21], {interval: 5}).toContain('/products/99999');
});

test('a key and a frame cost the same in a long log as in a short one', async () => {
	const costOf = async (count: number) => {
		const {appLogs, follow, press, lines, window} = openAppLogs();
		follow(async () => ({kind: 'window', text: requests(0, count)}));
		await expect.poll(lines, {interval: 5}).toBe(count);
		appLogs.openViewer();
		press('&products', keys.enter);
		await expect.poll(() => window().at(-2), {interval: 5}).toContain(' · 0 hidden');
		return countSteps(() => {
			for (let index = 0; index < 20; index++) {
				press(keys.pageUp, 'k', 'w', 'w');
				appLogs.panelLines({columns: 80, rows: 7});
			}
		});
	};

	const short = await costOf(2000);
	expect(await costOf(40_000)).toBeLessThan(1.5 * short);
});

test('L opens the transcript at the time of the line, and the transcript leads back', async () => {
	const {appLogs, follow, press, lines, moments, window} = openAppLogs();
	const before = Date.now();
	follow(async () => ({kind: 'window', text: 'one\ntwo\nthree\n'}));
	await expect.poll(lines, {interval: 5}).toBe(3);
	appLogs.openViewer();
	press('k', 'L');
	expect(moments).toEqual([expect.toSatisfy((at: number) => at >= before && at <= Date.now())]);
	appLogs.openViewer(before - 1000);
	await expect.poll(() => window()[1], {interval: 5}).toBe('❯ one');
});
