import {expect, test} from 'vitest';
import {openCommands} from './open-commands.ts';

test('joins both outputs in order, and says how the command ended', async () => {
	const {run, asked} = await openCommands();
	expect(await run('echo one; echo two >&2; echo three')).toMatch(/^one\ntwo\nthree\n\[exit status 0 after \d+ m?s\]$/);
	expect(asked.map(({act}) => act.kind)).toEqual(['command']);
});

test('a command that fails is a failed result with its output and status', async () => {
	const {run} = await openCommands();
	expect(await run('echo broken; exit 3')).toMatch(/^broken\n\[exit status 3 after /);
});

test('[4] nothing runs without approval, and the model reads the reason', async () => {
	const {run, workspace} = await openCommands({answer: () => ({allowed: false, reason: 'not now'})});
	expect(await run(`touch ${workspace}/x; echo ran`)).toBe(
		'The user did not allow this command. It did not run. They said: not now',
	);
});
