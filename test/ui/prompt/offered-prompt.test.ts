import {expect, test} from 'vitest';
import {expandedText} from '../../../src/editor/editor.ts';
import {finish, scriptedModel, text} from '../../agent/scripted.ts';
import {runApp} from '../running-app.ts';

const task = 'This is the task:\n\nFix the cart.\nThen say so.';

test('Tab inserts what the empty prompt offers, several lines as one; Enter sends it whole, and the offer ends', async () => {
	const {ask, asked} = scriptedModel([text('Done.'), finish('stop')]);
	const {store, type, waitFor, lines} = runApp({ask});
	await waitFor('Ask something');
	store.setState({offered: {label: 'task of web-shop', text: task}});
	await waitFor('❯ task of web-shop · Tab insert');

	type('x');
	await waitFor('❯ x');
	type('\t');
	expect(expandedText(store.getState().composer)).toBe('x');
	type('\u007f');
	await waitFor('❯ task of web-shop · Tab insert');

	type('\t');
	await waitFor('❯ [task of web-shop, 4 lines]');
	expect(lines().join('\n')).not.toContain('Fix the cart.');
	type('\u0003');
	await waitFor('❯ task of web-shop · Tab insert');
	type('\t');
	await waitFor('❯ [task of web-shop, 4 lines]');
	type('\r');
	await waitFor('Done.');
	await waitFor('❯ Ask something');
	expect(JSON.stringify(asked[0])).toContain('Fix the cart.');
});
