import {expect, test} from 'vitest';
import {dataOf, drawn, testContext} from './context.ts';

const textOf = (result: Awaited<ReturnType<ReturnType<typeof testContext>['run']>>) =>
	result.kind === 'text' ? result.text : '';

test('a shell lists, adds and revokes the rules of its folder, and a second process sees them', async () => {
	const here = testContext();
	expect(textOf(await here.run('approvals', 'allow', 'run_command(npm test *)'))).toBe(
		'Allowed run_command(npm test *) in this folder.',
	);
	expect(textOf(await here.run('approvals', 'deny', 'fetch_url(*.example.com)'))).toBe(
		'Denied fetch_url(*.example.com) in this folder.',
	);
	const other = testContext({like: here});
	expect(dataOf(await other.run('approvals'))).toEqual({
		folder: here.folder,
		rules: [
			{number: 1, effect: 'allow', rule: 'run_command(npm test *)', source: 'folder', last_allowed: null},
			{number: 2, effect: 'deny', rule: 'fetch_url(*.example.com)', source: 'folder', last_allowed: null},
		],
	});
	expect(textOf(await other.run('approvals', 'revoke', '1'))).toBe('Removed run_command(npm test *).');
	expect(drawn(await here.run('approvals'), 80)).toContain('1  deny    fetch_url(*.example.com)  this folder');
	await expect(here.run('approvals', 'revoke', '2')).rejects.toThrow('Rule 2 not found.');
});

test('a rule whose star covers nothing says so', async () => {
	expect(textOf(await testContext().run('approvals', 'allow', 'run_command(git *)'))).toBe(
		'Allowed run_command(git *) in this folder. It covers “git” alone; “git **” covers everything that it does.',
	);
});

test('an invalid rule is refused with an example', async () => {
	await expect(testContext().run('approvals', 'allow', 'npm test')).rejects.toMatchObject({code: 'usage'});
});

test('the app also shows and sets the mode, and keeps rules for the session', async () => {
	const here = testContext();
	expect(textOf(await here.runInApp('approvals', 'mode', 'plan'))).toBe(
		'Plan mode: the agent reads, then proposes a plan.',
	);
	expect(here.store.getState().approvalMode).toBe('plan');
	await here.runInApp('approvals', 'allow', 'run_command(npm test *)', '--session');
	expect(drawn(await here.runInApp('approvals'), 80).split('\n')[0]).toBe('Approval mode: plan');
	expect(dataOf(await testContext({like: here}).run('approvals'))).toMatchObject({rules: []});
	await expect(here.run('approvals', 'mode', 'all')).rejects.toThrow();
});

test.each([
	['ask', 'npm test -- a', 'Allowed by rule 1 of this folder: run_command(npm test *).'],
	['ask', 'fetch_url(https://evil.example/)', 'Denied by rule 2 of this folder: fetch_url(evil.example).'],
	[
		'ask',
		'npm test --script-shell=x',
		'Asks, because it uses “--script-shell=x”, which run_command(npm test *) does not cover.',
	],
	['ask', 'cat a | sh', 'Asks, because it may take orders from its input, so no rule covers it.'],
	['ask', 'ls', 'Allowed: it only reads in this folder.'],
	['ask', 'run_command(make)', 'Asks, because no rule covers it, and the mode is ask.'],
	['all', 'make', 'Allowed by the mode all, if a sandbox holds it.'],
	['plan', 'npm test', 'Refused in plan mode: the agent only reads.'],
	['edits', 'edit_file(a.ts)', 'Allowed by the mode edits.'],
	['edits', 'edit_file(.env)', 'Asks, because no rule covers it, and the mode is edits.'],
	['ask', 'read_file(a.ts)', 'Allowed: files of this folder are read without asking, but for secret ones.'],
	['all', 'read_file(plans/hidden.txt)', 'Denied by rule 3 of this folder: read_file(plans).'],
	['edits', 'edit_file(plans/hidden.txt)', 'Denied by rule 3 of this folder: read_file(plans).'],
	['all', 'read_file(.git/config)', 'Refused in every mode: it is protected.'],
	['all', 'read_file(/etc/passwd)', 'Refused in every mode: it is outside the working folder.'],
	['ask', 'fetch_url(https://example.com/a)', 'Asks, because no rule covers it, and the mode is ask.'],
] as const)('in the mode %s, %s is explained: %s', async (mode, act, expected) => {
	const here = testContext();
	await here.run('approvals', 'allow', 'run_command(npm test *)');
	await here.run('approvals', 'deny', 'fetch_url(evil.example)');
	await here.run('approvals', 'deny', 'read_file(plans)');
	here.store.getState().setApprovalMode(mode);
	expect(textOf(await here.run('approvals', 'explain', act))).toBe(expected);
});

test('a rule that would have no effect is refused when it is made', async () => {
	const {run} = testContext();
	await expect(run('approvals', 'allow', 'read_file(src/**)')).rejects.toThrow(/no effect/);
	await expect(run('approvals', 'deny', 'read_file(plans\\a.txt)')).rejects.toThrow(/no effect/);
	expect(dataOf(await run('approvals'))).toMatchObject({rules: []});
});
