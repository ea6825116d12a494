import {readFileSync, statSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {api} from './api.ts';
import {dataOf, drawn, testContext} from './context.ts';

const path = 'POST /api/v1/auth/mfa/enroll/verify';
const answer = {recovery_codes: ['aaaa-1111', 'bbbb-\u001B2222']};
const shown = [
	'Two-factor authentication is on. Each recovery code logs you in once without your app:',
	'',
	'aaaa-1111',
	'bbbb-␛2222',
	'',
];

test.each([80, 120])(
	'a code turns the second factor on, and the recovery codes are shown at %d columns',
	async width => {
		const {env, seen} = await api({[path]: {json: answer}});
		const {run, asked} = testContext({env, answers: ['123 456']});
		const result = await run('mfa', 'verify');
		const [first = '', ...rest] = shown;
		expect(drawn(result, width).split('\n')).toEqual([
			...(width === 80
				? ['Two-factor authentication is on. Each recovery code logs you in once without', 'your app:']
				: [first]),
			...rest,
			"Copy them now; they won't be shown again.",
		]);
		expect(dataOf(result)).toEqual(answer);
		expect(asked).toEqual([{label: 'Code from your authenticator app:', masked: true}]);
		expect(seen.map(({body}) => JSON.parse(body.toString()))).toEqual([{code: '123456'}]);
	},
);

test('[10] --save writes the codes to a file that only the user can read', async () => {
	const {env} = await api({[path]: {json: answer}});
	const {run, folder} = testContext({env});
	const file = join(folder, 'codes.txt');
	const result = await run('mfa', 'verify', '123456', '--save', 'codes.txt');
	expect(drawn(result, 200).split('\n')).toEqual([...shown, `Saved to ${file}.`]);
	expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual([
		`${answer.recovery_codes.join('\n')}\n`,
		0o600,
	]);
});

test('the app offers to save the recovery codes before it asks for the code', async () => {
	const {env} = await api({[path]: {json: answer}});
	const {runInApp, folder, asked} = testContext({env, answers: ['codes.txt', '123456', '', '123456']});
	expect(
		drawn(await runInApp('mfa', 'verify'), 200)
			.split('\n')
			.at(-1),
	).toBe(`Saved to ${join(folder, 'codes.txt')}.`);
	expect(
		drawn(await runInApp('mfa', 'verify'), 200)
			.split('\n')
			.at(-1),
	).toBe("Copy them now; they won't be shown again.");
	expect(asked.slice(0, 2)).toEqual([
		{label: 'Save the recovery codes to a new file (leave blank to skip):', masked: false, optional: true},
		{label: 'Code from your authenticator app:', masked: true},
	]);
});

test('recovery codes that could not be saved are shown', async () => {
	const {env} = await api({[path]: {json: answer}});
	const {run, folder, said} = testContext({env});
	const file = join(folder, 'codes.txt');
	writeFileSync(file, 'mine');
	const result = await run('mfa', 'verify', '123456', '--save', 'codes.txt');
	expect(drawn(result, 200).split('\n')).toEqual([...shown, "Copy them now; they won't be shown again."]);
	expect(said.at(-1)).toBe(`The recovery codes were not saved: ${file} already exists.`);
	expect(readFileSync(file, 'utf8')).toBe('mine');
});

test('a response without recovery codes is reported', async () => {
	const {env} = await api({[path]: {json: {recovery_codes: []}}});
	const result = await testContext({env}).run('mfa', 'verify', '123456');
	expect(drawn(result, 80)).toBe('Two-factor authentication is on. The server returned no recovery codes.');
	expect(dataOf(result)).toEqual({recovery_codes: []});
});

test.each([{}, {recovery_codes: 'none'}])('%j does not confirm the second factor', async bare => {
	const {env, origin} = await api({[path]: {bare}});
	await expect(testContext({env}).run('mfa', 'verify', '123456')).rejects.toMatchObject({
		code: 'network',
		message: `${origin} returned a response without recovery_codes.`,
		hint: expect.stringContaining('may have been done'),
	});
});

test.each([[undefined], [' ']])('nothing is sent without a code (%j)', async given => {
	const {env, seen} = await api({});
	const result = await testContext({env, answers: [given]}).run('mfa', 'verify');
	expect(drawn(result, 80)).toBe('No code given. Nothing changed.');
	expect(seen).toEqual([]);
});

test('Esc at the first question of the app ends the command', async () => {
	const {env, seen} = await api({});
	const {runInApp, asked} = testContext({env, answers: [undefined, '123456']});
	expect(drawn(await runInApp('mfa', 'verify'), 80)).toBe('Nothing changed.');
	expect([asked.length, seen.length]).toEqual([1, 0]);
});

test('without an enrollment, the error says where to start one', async () => {
	const detail = 'No enrollment is waiting for a code.';
	const {env} = await api({[path]: {status: 409, json: {code: 409, type: 'conflict_error', detail}}});
	await expect(testContext({env}).run('mfa', 'verify', '123456')).rejects.toMatchObject({
		code: 'conflict',
		message: detail,
		hint: 'Set up your app in the browser first, then run `mfa verify`.',
	});
});

test('a code has at most 64 characters, and the server refuses a wrong one', async () => {
	const refusal = {code: 400, type: 'invalid_error', detail: 'Wrong code'};
	const {env, seen} = await api({[path]: {status: 400, json: refusal}});
	const {run} = testContext({env});
	await expect(run('mfa', 'verify', 'x'.repeat(65))).rejects.toMatchObject({
		code: 'usage',
		message: expect.stringMatching(/^<code> must have at most 64 characters\.$/),
	});
	expect(seen).toEqual([]);
	await expect(run('mfa', 'verify', 'x'.repeat(64))).rejects.toMatchObject({
		message: 'The server rejected the code: Wrong code.',
		hint: 'Run `mfa verify` again with the next code of your app.',
	});
});
