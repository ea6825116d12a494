import {expect, test} from 'vitest';
import {channelsOf} from '../../../src/terminal/theme/color-depth.ts';
import type {ThemeName} from '../../../src/terminal/theme/theme-names.ts';
import {themes} from '../../../src/terminal/theme/themes.ts';
import {done, said, start, toRecords, used, user} from '../../core/records.ts';
import {runApp} from '../running-app.ts';

const question = '\u001B]11;?\u001B\\';
const white = '\u001B]11;rgb:ffff/ffff/ffff\u001B\\';
const attributes = '\u001B[?62;22c';
const rich = {NO_COLOR: '', TERM: 'xterm-256color', COLORTERM: 'truecolor'};

const rgb = (color: string | undefined) => {
	const [red, green, blue] = channelsOf(color ?? '#000000');
	return (red << 16) | (green << 8) | blue;
};

/** Starts the app and selects a theme. `sign` returns the colour of the sign before the prompt; undefined without one. */
async function appIn(theme: ThemeName, env: Readonly<Record<string, string>> = rich) {
	const app = runApp({env});
	// The welcome comes after the prompt.
	await app.waitFor('Ask something');
	await app.waitFor('all commands, in groups');
	app.store.getState().setTheme(theme);
	const sign = async () => {
		await app.settle(5);
		const {active} = app.terminal.buffer;
		const rows = Array.from({length: active.length}, (_, row) => active.getLine(row));
		const cell = rows.findLast(row => row?.translateToString(true).startsWith('❯'))?.getCell(0);
		return cell?.isFgDefault() ? undefined : cell?.getFgColor();
	};
	const asked = () => app.written.join('').split(question).length - 1;
	return {...app, sign, asked};
}

test('light and dark come from the background that the terminal names, and its answer is no input', async () => {
	const {sign, asked, type, store} = await appIn('auto');
	await expect.poll(asked).toBe(1);
	expect(await sign()).toBe(5);
	type(white + attributes);
	await expect.poll(sign).toBe(rgb(themes.auto.light?.accent));
	store.getState().setTheme('high-contrast');
	await expect.poll(sign).toBe(rgb(themes['high-contrast'].light?.accent));
	store.getState().setTheme('terminal');
	await expect.poll(sign).toBe(5);
	expect([asked(), store.getState().composer.text]).toEqual([1, '']);
});

test('until the terminal answers, the environment names the background; an answer counts more', async () => {
	const {sign, type, asked} = await appIn('auto', {...rich, COLORFGBG: '15;0'});
	await expect.poll(sign).toBe(rgb(themes.auto.dark?.accent));
	await expect.poll(asked).toBe(1);
	type(white + attributes);
	await expect.poll(sign).toBe(rgb(themes.auto.light?.accent));
});

test('a terminal that says only what it is keeps its own colours, and the prompt stays empty', async () => {
	const {sign, type, asked, store} = await appIn('auto');
	await expect.poll(asked).toBe(1);
	type(attributes);
	await expect(store.getState().askBackground()).resolves.toBe(undefined);
	expect([await sign(), store.getState().composer.text]).toEqual([5, '']);
});

test.each([
	['a chosen background needs none', 'dark', rich, 1],
	['16 colours need none', 'auto', {NO_COLOR: '', TERM: 'xterm'}, 1],
	['a console that would print one gets none', 'auto', {NO_COLOR: '', TERM: 'linux'}, 0],
	['no colours need none', 'auto', {...rich, NO_COLOR: '1'}, 0],
] as const)('after the question of the start %s', async (_, theme, env, questions) => {
	const {sign, asked} = await appIn(theme, env);
	const expected = env.NO_COLOR ? undefined : theme === 'dark' ? rgb(themes.dark.dark?.accent) : 5;
	await expect.poll(sign).toBe(expected);
	expect(asked()).toBe(questions);
});

test('colours of the terminal that it can hardly show on its background are replaced, and no others', async () => {
	const {sign, type, asked, written} = await appIn('terminal');
	await expect.poll(asked).toBe(1);
	// Konsole answers the first of several questions in one sequence.
	expect(written.join('').split('\u001B]4;')).toHaveLength(17);
	expect(await sign()).toBe(5);
	type(`${white}\u001B]4;5;rgb:ffff/eeee/ffff\u001B\\${attributes}`);
	await expect.poll(sign).toBe(rgb(themes.auto.light?.accent));
});

test('a window is not drawn again for colours that can be read', async () => {
	const {sign, type, asked, written, settle, store} = await appIn('terminal');
	await expect.poll(asked).toBe(1);
	const before = written.length;
	const black = white.replaceAll('f', '0');
	type(`${black}\u001B]4;5;rgb:aaaa/5555/aaaa\u001B\\\u001B]4;0;rgb:1111/1111/1111\u001B\\${attributes}`);
	await store.getState().askBackground();
	await settle(20);
	expect([written.slice(before).join(''), await sign(), store.getState().composer.text]).toEqual(['', 5, '']);
});

test('a theme colours what is in the window again, where it is, and leaves the scrollback alone', async () => {
	const {store, waitFor, settle, terminal, sign} = await appIn('terminal');
	const session = store.getState().transcript.session;
	const say = (text: string, id: string) => [user(`question ${id}`), said(text, id), used(id, 10, 10)];
	const list = Array.from({length: 40}, (_, index) => `- item ${index} with \`code\``).join('\n');
	const records = toRecords([start, ...say('First **answer**.', 'm1'), ...say(`${list}\n\nLast words.`, 'm2'), done]);
	store.getState().applyRecords(records.map(record => ({...record, session})));
	await waitFor('Last words.');
	await settle(20);
	const {active} = terminal.buffer;
	const rows = () =>
		Array.from({length: active.length}, (_, row) => {
			const line = active.getLine(row);
			const colors = Array.from({length: 80}, (_, column) => line?.getCell(column))
				.filter(cell => cell?.getChars().trim() && !cell.isFgDefault())
				.map(cell => cell?.getFgColor());
			return {text: line?.translateToString(true) ?? '', colors: [...new Set(colors)]};
		});
	const before = rows();
	const top = active.baseY;
	expect(top).toBeGreaterThan(20);
	store.getState().setTheme('dark');
	await expect.poll(sign).toBe(rgb(themes.dark.dark?.accent));
	await settle(20);
	const after = rows();
	expect(after.map(({text}) => text)).toEqual(before.map(({text}) => text));
	expect(after.slice(0, top)).toEqual(before.slice(0, top));
	const colored = after.slice(top).filter(({text}) => text.includes('code'));
	expect(colored.length).toBeGreaterThan(5);
	expect(new Set(colored.flatMap(({colors}) => colors))).toEqual(new Set([rgb(themes.dark.dark?.cyan)]));
});
