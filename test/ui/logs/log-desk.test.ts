import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import process from 'node:process';
import {expect, test} from 'vitest';
import {allLogs} from '../../../src/store/logs-slice.ts';
import {atDesk, profile, server} from '../at-desk.ts';
import {keys} from '../key-presses.ts';
import {shop, triage} from '../log-parts.ts';

const hostile = 'sk-live0123456789abcdefghij \u001b]52;c;eA==\u0007rm -rf ~';

test('lines are found, copied, saved and put into the prompt; what is copied obeys nobody [1] [3] [8]', async () => {
	const {desk, follow, press, window, copied, folder, store, lines} = atDesk();
	follow(async () => ({kind: 'window', text: `one\n${hostile}\nthree\n`}));
	await expect.poll(lines, {interval: 5}).toBe(3);
	expect(desk.openViewer()).toBe(true);
	press('/rm', keys.enter);
	await expect.poll(() => window()[2], {interval: 5}).toContain('❯•');
	press('c');
	expect(copied).toEqual(['sk-live0123456789abcdefghij ␛]52;c;eA==␇rm -rf ~']);
	press('s', '\u0015~/saved.log', keys.enter);
	await expect.poll(() => window().at(-1), {interval: 5}).toBe(`Saved 3 lines to ${join(folder, 'saved.log')}`);
	expect(readFileSync(join(folder, 'saved.log'), 'utf8')).toBe(`one\n${hostile}\nthree\n`);
	press('s', '\u0015saved.log', keys.enter);
	await expect.poll(() => window().at(-1), {interval: 5}).toContain('exists already.');
	press('a');
	const {composer} = store.getState();
	expect(composer.folds.map(({label}) => label)).toEqual(['[Log 5eefeae8 1 line]']);
	expect(composer.folds[0]?.text).not.toContain('sk-live0123456789abcdefghij');
});

test('nothing that matches is said, and so is a search that went around', async () => {
	const {desk, follow, press, window, lines} = atDesk();
	follow(async () => ({kind: 'window', text: 'one\ntwo\nthree\n'}));
	await expect.poll(lines, {interval: 5}).toBe(3);
	desk.openViewer();
	press('/four', keys.enter);
	await expect.poll(() => window().at(-1), {interval: 5}).toBe('Nothing matches four');
	press('/one', keys.enter);
	await expect.poll(() => window()[1], {interval: 5}).toBe('❯•one');
	press('n');
	await expect.poll(() => window().at(-1), {interval: 5}).toBe('The search went on from the other end.');
});

test('a filter that takes for ever is taken away again, and says so', async () => {
	const {desk, follow, press, window, lines} = atDesk();
	follow(async () => ({kind: 'window', text: `one\n${'a'.repeat(5000)}!\n`}));
	await expect.poll(lines, {interval: 5}).toBe(2);
	desk.openViewer();
	press('&(a+)+$', keys.enter);
	await expect.poll(() => window().at(-1), {interval: 5}).toContain('takes too long on this log.');
	press('j');
	await expect.poll(() => window()[1], {interval: 5}).toBe('  one');
});

test('without a log there is nothing to open, and the dock has no line', () => {
	const {desk} = atDesk();
	expect([desk.openViewer(), desk.dockLines({columns: 80, rows: 0})]).toEqual([false, []]);
});

test('another connection holds the logs of the one before, which go on by themselves when it is back', async () => {
	const {store, follow, lines, desk} = atDesk();
	const {setConnection} = store.getState();
	const home = {profile, server, state: 'ready'} as const;
	const title = () => desk.dockLines({columns: 80, rows: 1})[0];
	setConnection(home);
	let text = 'one\n';
	let asked = 0;
	follow(async () => {
		asked++;
		return {kind: 'window', text};
	});
	await expect.poll(lines, {interval: 5}).toBe(1);
	setConnection({profile: 'b', server: 'https://b.test', state: 'ready'});
	expect(desk.dockLines({columns: 80, rows: 2})).toEqual([
		'── web-shop 5eefeae8 · on hold: connected elsewhere · Ctrl+G opens · Alt+L hides',
		'  one',
	]);
	const askedBefore = asked;
	text = 'one\ntwo\n';
	// Neither the same server with another login, nor the end of a suspension, lets it go on.
	setConnection({profile: 'other', server, state: 'ready'});
	desk.suspend();
	desk.wake();
	setConnection({profile: 'other', server, state: 'ready'});
	await new Promise(resolve => setTimeout(resolve, 20));
	expect([title(), asked]).toEqual([expect.stringContaining('on hold'), askedBefore]);
	setConnection(home);
	await expect.poll(lines, {interval: 5}).toBe(2);
	expect(title()).toBe('── web-shop 5eefeae8 · live · 2 lines · Ctrl+G opens · Alt+L shows');
});

test('lines that were missed while the app was connected elsewhere are said to be missing', async () => {
	const {store, follow, desk} = atDesk();
	const home = {profile, server, state: 'ready'} as const;
	store.getState().setConnection(home);
	let text = 'one\n';
	follow(async () => ({kind: 'window', text}));
	await expect.poll(() => desk.dockLines({columns: 80, rows: 2})[1], {interval: 5}).toBe('  one');
	store.getState().setConnection({profile: 'b', server: 'https://b.test', state: 'ready'});
	text = 'eight\nnine\n';
	store.getState().setConnection(home);
	await expect
		.poll(() => desk.dockLines({columns: 80, rows: 5}).slice(1), {interval: 5})
		.toEqual(['  one', '  -- lines may be missing here --', '  eight', '  nine']);
});

test('a log that begins anew is followed at its end, and is narrowed to nothing that it was not asked for with', async () => {
	const {desk, follow, press, lines, window} = atDesk(80, 6);
	follow(async () => ({kind: 'window', text: 'one\ntwo\n'}), {patterns: ['two']});
	await expect.poll(lines, {interval: 5}).toBe(2);
	desk.openViewer();
	press('k');
	await expect.poll(() => window().slice(0, 2), {interval: 5}).toEqual([expect.stringContaining('paused'), '❯ two']);
	press('q');
	desk.close(shop);
	follow(async () => ({kind: 'window', text: 'one\ntwo\n'}));
	await expect.poll(lines, {interval: 5}).toBe(2);
	desk.openViewer();
	await expect
		.poll(() => window().slice(0, 3), {interval: 5})
		.toEqual(['web-shop 5eefeae8 · live · 2 lines', '  one', '  two']);
});

test('all logs together are followed at their end again when one of them is closed, narrowed as they were', async () => {
	const {store, desk, follow, press, window} = atDesk(80, 8);
	const lines = () => store.getState().logs.map(log => log.lines);
	follow(async () => ({kind: 'window', text: 'one of shop\ntwo of shop\nthree\n'}));
	follow(async () => ({kind: 'window', text: 'one of triage\ntwo of triage\n'}), {
		environment: triage,
		title: 'triage',
	});
	follow(async () => ({kind: 'window', text: 'one of a third\n'}), {environment: 'third', title: 'third'});
	await expect.poll(lines, {interval: 5}).toEqual([3, 2, 1]);
	store.getState().focusLog(allLogs);
	desk.openViewer();
	press('&of\r', 'k', 'k');
	const top = () => window()[0];
	await expect.poll(top, {interval: 5}).toContain('paused');
	desk.close(shop);
	await expect.poll(top, {interval: 5}).not.toContain('paused');
	expect(window().filter(line => line.includes('│'))).toHaveLength(3);
	expect(window().join('\n')).toContain('filter of');
});

test('a moment of the conversation is found in the log', async () => {
	const {desk, follow, window, lines} = atDesk(80, 6);
	let text = 'early\n'.repeat(20);
	follow(async () => ({kind: 'window', text}));
	await expect.poll(lines, {interval: 5}).toBe(20);
	const at = Date.now() + 1;
	await new Promise(resolve => setTimeout(resolve, 5));
	text += 'late\nlater\n';
	await expect.poll(lines, {interval: 5}).toBe(22);
	desk.openViewer(at);
	await expect.poll(() => window().filter(line => line.startsWith('❯')), {interval: 5}).toEqual(['❯ late']);
});

test('a million lines in a burst keep a key press under 50 ms of work (p95), and memory under its cap', async () => {
	const piece = 20_000;
	const pieces = 50;
	const {desk, follow, press, store, lines, window} = atDesk();
	let given = 0;
	follow(async ({after = 0}) => {
		const from = given * piece;
		const text =
			given++ < pieces
				? Array.from({length: piece}, (_, line) => `level=info path=/products/${from + line} status=200\n`).join('')
				: '';
		return {kind: 'window', text, start: after, offset: after + text.length};
	});
	desk.openViewer();
	press('&products', keys.enter);
	const pressed = [keys.up, keys.pageUp, 'k', `\u001b[F`, 't', 'w', keys.down];
	const waits: number[] = [];
	for (let count = 0; lines() < piece * pieces; count++) {
		// The time that was worked, not that of the clock: others may keep the machine busy.
		const before = process.cpuUsage();
		await new Promise(resolve => setTimeout(resolve, 5));
		press(pressed[count % pressed.length] ?? 'k');
		desk.dockLines({columns: 80, rows: 7});
		const {user, system} = process.cpuUsage(before);
		waits.push((user + system) / 1000);
	}

	waits.sort((a, b) => a - b);
	expect(waits[Math.floor(waits.length * 0.95)]).toBeLessThan(50);
	expect(store.getState().logs[0]).toMatchObject({lines: 1_000_000, droppedLines: 950_000, gaps: 0});
	press(`\u001b[F`);
	await expect.poll(() => window()[21], {interval: 5}).toContain('/products/999999');
});

test('the line at the cursor leads to what was called at its moment, and that leads back', async () => {
	const {desk, follow, press, lines, moments, window} = atDesk();
	const before = Date.now();
	follow(async () => ({kind: 'window', text: 'one\ntwo\nthree\n'}));
	await expect.poll(lines, {interval: 5}).toBe(3);
	desk.openViewer();
	press('k', 'L');
	expect(moments).toEqual([expect.toSatisfy((at: number) => at >= before && at <= Date.now())]);
	desk.openViewer(before - 1000);
	await expect.poll(() => window()[1], {interval: 5}).toBe('❯ one');
});
