import {expect, test} from 'vitest';
import type {AppError} from '../../src/core/error.ts';
import {api, inWorkspace} from './api.ts';
import {testContext} from './context.ts';

const path = `POST ${inWorkspace}/environments`;

test.each([
	[403, 'auth'],
	[409, 'conflict'],
	[422, 'failed'],
	[429, 'network'],
] as const)('a refusal with %d is told once, and nothing is provisioned twice', async (status, code) => {
	const {env, seen} = await api({[path]: {status, json: {code: status, type: 'task_error', detail: 'Not so.'}}});
	await expect(testContext({env}).run('env', 'create', 'task')).rejects.toMatchObject({
		code,
		message: expect.stringContaining('Not so (task_error)'),
	});
	expect(seen).toHaveLength(1);
});

test('a failed sandbox provider leaves the doubt, and the wait, in the hint', async () => {
	const hintOf = async (status: number, type: string, headers = {}) => {
		const {env} = await api({[path]: {status, headers, json: {code: status, type, detail: 'Not so.'}}});
		const failed = await testContext({env})
			.run('env', 'create', 'task')
			.catch((error: unknown) => error);
		return (failed as AppError).hint;
	};
	expect(await hintOf(502, 'sandbox_provider_error')).toBe('It may have been done. Check `env list` before you retry.');
	expect(await hintOf(429, 'sandbox_provider_rate_limit_error', {'retry-after': '30'})).toBe('Try again in 30 s.');
});

test('an interrupted create says that the sandbox may exist', async () => {
	const abort = new AbortController();
	const {env} = await api({
		[path]() {
			abort.abort();
			return {json: {id: '0b5e0a1c-9c1f-4d4e-8b57-0123456789ab', state: 'building'}};
		},
	});
	const here = testContext({env, signal: abort.signal});
	await expect(here.run('env', 'create', 'web-shop')).rejects.toThrow();
	expect(here.said).toEqual(['The server may have created the sandbox anyway. Check: service env list']);
});
