import fc from 'fast-check';
import {expect, test} from 'vitest';
import type {FolderAgent} from '../../src/storage/folder-agents.ts';
import type {BackgroundSession} from '../../src/store/session-slice.ts';
import {createAppStore} from '../../src/store/store.ts';
import {createPalette} from '../../src/terminal/text/style.ts';
import {lineWidth} from '../../src/terminal/text/width.ts';
import {sessionStrip} from '../../src/ui/session-strip.ts';
import {anyText} from '../any-text.ts';

const palette = createPalette({color: false});
const strip = (background: readonly BackgroundSession[], columns = 80, others: readonly FolderAgent[] = []) => {
	const {keymap} = createAppStore().getState();
	return sessionStrip({background, others, size: {columns, rows: 24}, keymap}, palette);
};

const sessions: readonly BackgroundSession[] = [
	{id: '11111111', about: 'Fix the login', state: 'waiting', unread: 2},
	{id: '22222222', about: 'Refactor the parser of the configuration', state: 'running', unread: 3},
	{id: '33333333', about: '', state: 'ended', unread: 0},
	{id: '44444444', about: 'Docs', state: 'ended', unread: 1},
];

test.each([
	[
		120,
		'  ● Fix the login waits for you · ● Refactor the parser of … 3 new · ○ 33333333 · ○ Docs 1 new · Ctrl+X B next',
	],
	[80, '  ● Fix the login waits for you · ○ Docs 1 new · Ctrl+X B next'],
	[40, '  ● Fix the login waits for you'],
])('the strip in %i columns', (columns, expected) => {
	expect(strip(sessions, columns)).toBe(expected);
});

test('agents of other windows in the folder are named beside the sessions of this one', () => {
	const login = {about: 'Fix the \u001b[2Jlogin', state: 'running'} as const;
	expect(strip([], 80, [login])).toBe('  ● another session works in this folder: Fix the ␛[2Jlogin');
	expect(strip([], 80, [{about: '', state: 'waiting'}])).toBe('  ● another session waits in this folder');
	expect(strip([], 80, [login, {about: 'Docs', state: 'waiting'}])).toBe(
		'  ● 2 other sessions work in this folder: Fix the ␛[2Jlogin, Docs',
	);
	expect(strip(sessions.slice(3), 100, [{about: 'Docs', state: 'running'}])).toBe(
		'  ○ Docs 1 new · ● another session works in this folder: Docs · Ctrl+X B next',
	);
});

test('whatever sessions are called, the strip is one line that fits, and names those that wait first', () => {
	const session = fc.record({
		id: fc.constant('11111111'),
		about: anyText(),
		state: fc.constantFrom('waiting', 'running', 'ended' as const),
		unread: fc.nat(1000),
	});
	fc.assert(
		fc.property(fc.array(session, {maxLength: 8}), fc.integer({min: 10, max: 200}), (background, columns) => {
			const line = strip(background as readonly BackgroundSession[], columns);
			expect(line).not.toMatch(/[\n\r\u0007\u001b\u009b]/);
			expect(lineWidth(line)).toBeLessThanOrEqual(columns);
			if (columns >= 60 && background.some(({state}) => state === 'waiting')) {
				expect(line).toContain('waits for you');
			}
		}),
	);
});
