import {expect, test} from 'vitest';
import {api, inWorkspace} from '../commands/api.ts';
import {testContext} from '../commands/context.ts';

const id = '0b5e0a1c-9c1f-4d4e-8b57-0123456789ab';

test.each([
	...['a/b/c', 'name@', '/name', 'org/', 'a@b@c', 'x@', '@1', 'a b', ''].map(
		task => [['env', 'create', task], /^<task> must be \[org\/\]name\[@version\]\.$|needs <task>\.$/] as const,
	),
	[['env', 'create', 'triage', '--timeout', '-5'], /^--timeout must be at least 1\.$/],
	[['env', 'create', 'triage', '--timeout', '0'], /^--timeout must be at least 1\.$/],
	[['runtime', 'create', 'dev', 'a/b/c'], /^<task> must be /],
	[['finding', 'list', '--page', '0'], /^--page must be at least 1\.$/],
	[['finding', 'list', '--page-size', '500'], /^--page-size must be at most 200\.$/],
	[['assessment', 'list', '--page-size', '0'], /^--page-size must be at least 1\.$/],
	[['run', 'items', id, '--limit', '1001', '--project', id], /^--limit must be at most 1000\.$/],
	[
		[
			'item',
			'stage',
			id,
			'--action',
			'x',
			'--capability-name',
			'a',
			'--capability-version',
			'1',
			'--platform-session',
			id,
			'--root-run',
			'r',
		],
		/^--action must be a UUID\.$/,
	],
	[['finding', 'show', 'abc'], /^“abc” is not a full finding id\.$/],
	[['finding', 'show', 'first'], /^<finding> must be a UUID\.$/],
	[['mfa', 'verify', 'x'.repeat(65)], /^<code> must have at most 64 characters\.$/],
] as const)('%j is refused by the name of its argument, and nothing is sent', async (words, message) => {
	const {env, seen} = await api({});
	const place = [...words];
	const flag = place.indexOf('--project');
	const [, project] = flag < 0 ? [] : place.splice(flag, 2);
	const {run} = testContext({env, flags: {project}});
	await expect(run(...place)).rejects.toMatchObject({code: 'usage', message: expect.stringMatching(message)});
	expect(seen).toEqual([]);
});

test('a server error about a field names its flag', async () => {
	const errors = [
		{loc: ['body', 'timeout_sec'], msg: 'must be at most 60', type: 'too_big'},
		{loc: ['body', 'inputs', 'shop'], msg: 'is required', type: 'missing'},
		{loc: ['body', 'later'], msg: 'is odd', type: 'odd'},
		{loc: ['path', 'org'], msg: 'is closed', type: 'closed'},
	];
	const problem = {code: 422, detail: 'body.task_ref is unknown', type: 'validation_error', errors};
	const {env} = await api({[`POST ${inWorkspace}/environments`]: {status: 422, json: problem}});
	await expect(testContext({env}).run('env', 'create', 'triage')).rejects.toMatchObject({
		code: 'failed',
		message: expect.stringMatching(
			/<task> is unknown \(validation_error\); --timeout: must be at most 60; --input shop: is required; body\.later: is odd; --org: is closed\.$/,
		),
	});
});
