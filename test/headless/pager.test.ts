import {expect, test} from 'vitest';
import type {Result} from '../../src/command/result.ts';
import {drawResult, isPage} from '../../src/headless/print.ts';
import {pagerOf, showInPager} from '../../src/headless/shell.ts';

const long = 'line\n'.repeat(100);
const page: Result = {kind: 'page', markdown: '# Title', draw: () => ['drawn'], data: null};

test('the pager is less, or what PAGER says, split into words without a shell', () => {
	expect(pagerOf({})).toEqual(['less', '-FRX']);
	expect(pagerOf({PAGER: "my-pager --title 'a b' $(whoami); x"})).toEqual([
		'my-pager',
		'--title',
		'a b',
		'$(whoami);',
		'x',
	]);
	expect([pagerOf({PAGER: ''}), pagerOf({PAGER: 'cat'})]).toEqual([undefined, undefined]);
});

test.each([
	['a pipe', {}, {}, long],
	['text that fits', {isTTY: true, rows: 24}, {}, 'line\n'],
	['a terminal line by line', {isTTY: true, rows: 24}, {ACCESSIBLE: '1'}, long],
	['a dumb terminal', {isTTY: true, rows: 24}, {TERM: 'dumb'}, long],
	['a pager that is not there', {isTTY: true, rows: 24}, {PAGER: '/nowhere/pager'}, long],
])('%s is not paged', async (_, stdout, env, text) => {
	expect(await showInPager(text, {stdout, env})).toBe(false);
});

test('text longer than the window goes through the pager, to its end', async () => {
	const PAGER = `"${process.execPath}" -e "process.stdin.resume().on('end', () => process.exit())"`;
	expect(await showInPager(long, {stdout: {isTTY: true, rows: 24}, env: {PAGER, TERM: 'xterm'}})).toBe(true);
});

test('a terminal gets a drawn page and a pipe its Markdown, also inside a group', () => {
	const group: Result = {kind: 'group', parts: [{kind: 'text', text: 'First.'}, page], data: null};
	expect([isPage(page), isPage(group), isPage({kind: 'text', text: ''})]).toEqual([true, true, false]);
	expect(drawResult(group, {isTTY: true, columns: 80}, {env: {}})).toBe('First.\n\ndrawn\n');
	expect(drawResult(group, {}, {env: {}})).toBe('First.\n\n# Title\n');
});
