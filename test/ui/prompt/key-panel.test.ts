import {expect, test} from 'vitest';
import {textWidth} from '../../../src/terminal/text/width.ts';
import {keyLines} from '../../../src/ui/prompt/key-panel.ts';
import {runApp} from '../running-app.ts';

test.each([20, 40, 79, 80, 120, 200])(
	'the keys fit a window of %i columns, and in a usual one also its rows',
	columns => {
		const lines = keyLines({'prompt.undo': ['ctrl+x u']}, columns, {TMUX: '/tmp/tmux-0/default'});
		expect(Math.max(...lines.map(textWidth))).toBeLessThanOrEqual(columns);
		expect(lines.join('\n')).toContain('Ctrl+X U');
		expect(lines.join('\n')).toContain('Ctrl+B Ctrl+B');
		expect(lines.length).toBeLessThanOrEqual(columns < 72 ? 40 : 16);
	},
);

test('? on an empty prompt shows the keys until the next key, which does what it does', async () => {
	const {type, waitFor, store, settle, lines} = runApp();
	await waitFor('❯ Ask something');
	type('?');
	await waitFor('┄┄ Keys · Esc close');
	await waitFor('Ctrl+O         full transcript');
	expect(store.getState().composer.text).toBe('');
	type('hello?');
	await waitFor('❯ hello?');
	await settle();
	expect(lines().join('\n')).not.toContain('┄┄ Keys');

	type('\u0003');
	await waitFor('❯ Ask something');
	type('?');
	await waitFor('┄┄ Keys');
	type('?');
	await waitFor('❯ Ask something');
	await settle();
	expect([store.getState().panel, store.getState().composer.text]).toEqual([undefined, '']);
});
