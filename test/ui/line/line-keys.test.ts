import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {lineKeys} from '../../../src/command/help-groups.ts';
import {temporaryHome} from '../../storage/temporary.ts';
import {runLinear} from './running-lines.ts';
import {expectSpoken} from './spoken.ts';

/** The app of a user who has set `accessible`. */
function runAccessible() {
	const home = temporaryHome();
	writeFileSync(join(home.path, 'settings.json'), '{"accessible": true}');
	return runLinear(undefined, {home, env: {ACCESSIBLE: '1', TERM: 'xterm-256color'}});
}

test('“?” as a line of its own lists the keys that work line by line, and none of the screen', async () => {
	const {type, waitFor, text, written} = runAccessible();
	await waitFor('You: ');
	type('?\n');
	await waitFor('All commands: /help');
	await waitFor('Keys of the app with a screen: /help keys');
	for (const [key, does] of lineKeys) {
		expect(text()).toContain(`${key}: ${does}\n`);
	}

	expect(text()).not.toMatch(/Shift\+|prompt\.|Page Up|Working/);
	expectSpoken(written());
});

test.each([
	['that the user wants in lines', runAccessible, 'You: '],
	['whose terminal did not answer', () => runLinear(undefined, {env: {NO_COLOR: '1', TERM: 'xterm-256color'}}), '> '],
])('Vim keys are for the app with a screen, and that is said in an app %s', async (_, run, sign) => {
	const {type, waitFor} = run();
	await waitFor(sign);
	type('/vim on\n');
	await waitFor('Vim mode is on. It works in the app with a screen.');
});
