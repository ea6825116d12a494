import fc from 'fast-check';
import {expect, test} from 'vitest';
import {refusalOf, refuse} from '../../src/client/refusal.ts';
import {AppError} from '../../src/core/error.ts';

const from = 'https://app.example.com';
const now = Date.parse('2026-01-31T12:00:00Z');

const refused = (status: number, text: string, headers: Readonly<Record<string, string>> = {}) =>
	refuse({from, status, headers, text, now});
const problem = (code: number, detail: string, type: string) => JSON.stringify({code, detail, type});

test.each([
	[400, 'failed', `${from} found the request invalid: Why (app_error).`],
	[401, 'auth', `${from} rejected the login: Why (app_error).`],
	[403, 'auth', `${from} does not allow this: Why (app_error).`],
	[404, 'not-found', `Not found on ${from}: Why (app_error).`],
	[409, 'conflict', `Conflict on ${from}: Why (app_error).`],
	[422, 'failed', `${from} found invalid values: Why (app_error).`],
	[426, 'upgrade', `${from} needs a newer version of service: Why (app_error).`],
	[429, 'network', `${from} is rate-limiting you: Why (app_error).`],
	[500, 'network', `${from} had an internal error: Why (app_error).`],
	[502, 'network', `A server behind ${from} failed: Why (app_error).`],
	[504, 'network', `A server behind ${from} timed out: Why (app_error).`],
	[402, 'failed', `${from} rejected the request: Why (app_error).`],
	[503, 'network', `${from} is unavailable: Why (app_error).`],
	[304, 'network', `${from} didn't answer like a service server: Why (app_error).`],
] as const)('%d is %s, in one sentence with the words of the server', (status, code, message) => {
	const error = refused(status, problem(status, 'Why.', 'app_error'));
	expect(error).toMatchObject({code, message, hint: expect.stringMatching(/\.$/)});
	expect(refusalOf(error)).toEqual({status, type: 'app_error', detail: 'Why'});
});

test.each([
	['already_exists_error', 'Use another name, or the one that exists.'],
	['configuration_error', 'Ask its administrator to change its configuration.'],
	['usage_limit_exceeded_error', 'Free some of it, or ask an administrator for a higher limit.'],
	['conflict_error', 'Check its state, then try again.'],
	['constructor', 'Check its state, then try again.'],
])('a conflict of type %s says what helps', (type, hint) => {
	expect(refused(409, problem(409, 'Why.', type)).hint).toBe(hint);
	expect(refused(429, problem(429, 'Why.', type)).hint).toBe('Try again later.');
});

test('up to five invalid fields are shown, without line breaks', () => {
	const item = (index: number) => ({loc: ['body', 'list', index], msg: 'too\nlong.', type: 't'});
	const body = (count: number) =>
		JSON.stringify({
			code: 422,
			detail: 'Bad input',
			type: 'validation_error',
			errors: Array.from({length: count}, (_, index) => item(index)),
		});
	const head = `${from} found invalid values: Bad input (validation_error)`;
	expect(refused(422, body(2)).message).toBe(`${head}; body.list.0: too long; body.list.1: too long.`);
	expect(refused(422, body(700)).message).toMatch(/; body\.list\.4: too long; and 695 more\.$/);
});

test('an unknown input is named with the accepted ones, and other invalid fields follow', () => {
	const errors = [
		{loc: ['body', 'inputs', 'foo'], msg: 'is not an input', type: 'unknown_input'},
		{loc: ['body', 'inputs', 'bar'], msg: 'is required', type: 'missing_input'},
	];
	const body = {code: 422, detail: 'Unknown input “foo”. web-shop accepts bar.', type: 'validation_error', errors};
	expect(refused(422, JSON.stringify({...body, errors: errors.slice(0, 1)})).message).toBe(body.detail);
	expect(refused(422, JSON.stringify(body)).message).toBe(
		'Unknown input “foo”. web-shop accepts bar; body.inputs.bar: is required.',
	);
});

test('an unknown error type is shown unchanged', () => {
	expect(refused(409, problem(409, 'No.', 'quantum_error')).message).toContain('(quantum_error)');
});

test.each([
	['nothing', '', {}, '(status 500); no reason given.'],
	['a web page', '<!doctype html><h1>Oops</h1>', {}, '(status 500); it returned a web page, perhaps from a proxy.'],
	[
		'a page by its type',
		'Oops',
		{'content-type': 'text/html'},
		'(status 500); it returned a web page, perhaps from a proxy.',
	],
	['truncated JSON', '{"code":500,"det', {}, '(status 500); its reason is unreadable.'],
	['a list', '[]', {}, '(status 500); its reason is unreadable.'],
	['an empty object', '{}', {}, '(status 500); no reason given.'],
	['a detail alone', '{"detail":"Why."}', {}, ': Why (status 500).'],
	['a message alone', '{"message":"Why."}', {}, ': Why (status 500).'],
	['an error alone', '{"error":"Why."}', {}, ': Why (status 500).'],
	['fields of other kinds', '{"code":"x","detail":5,"type":[],"errors":"none"}', {}, '(status 500); no reason given.'],
	[
		'a detail that says the first field',
		'{"detail":"body.a is bad.","errors":[{"loc":["body","a"],"msg":"is bad"},{"loc":["body","b"],"msg":"is worse"}]}',
		{},
		': body.a is bad (status 500); body.b: is worse.',
	],
	[
		'hostile places',
		'{"detail":"a","errors":[{"loc":[{"toString":null},1]},5,{"msg":"b"}]}',
		{},
		': a (status 500); 1; b.',
	],
] as const)('%s as the body of an error is reported in one sentence', (_, text, headers, said) => {
	const {code, message} = refused(500, text, headers);
	expect([code, message]).toEqual([
		'network',
		`${from} had an internal error${said.startsWith(':') ? '' : ' '}${said}`,
	]);
});

test('whatever the body, it is one line of bounded length, and never another error', () => {
	fc.assert(
		fc.property(
			fc.oneof(
				fc.string(),
				fc.json(),
				fc.jsonValue().map(detail => JSON.stringify({detail, errors: detail})),
			),
			text => {
				const {message} = refused(404, text);
				expect(message.split('\n')).toHaveLength(1);
				expect(message.length).toBeLessThan(4000);
			},
		),
	);
	expect(refused(404, problem(404, 'x'.repeat(1_000_000), 'y'.repeat(1_000_000))).message.length).toBeLessThan(1200);
});

test('Retry-After, in seconds or as a date, becomes the hint of a retryable error', () => {
	const asked = (status: number, value: string) => refused(status, '', {'retry-after': value});
	expect(asked(429, '90')).toMatchObject({retryAfter: 90_000, hint: 'Try again in 1 m 30 s.'});
	expect(asked(503, 'Sat, 31 Jan 2026 12:00:12 GMT')).toMatchObject({retryAfter: 12_000, hint: 'Try again in 12 s.'});
	expect(asked(429, '0')).toMatchObject({retryAfter: 0, hint: 'Try again later.'});
	expect(asked(429, 'soon')).toMatchObject({retryAfter: undefined, hint: 'Try again later.'});
	expect(asked(409, '90')).toMatchObject({hint: 'Check its state, then try again.', permanent: true});
});

test("only a server's rejection is a refusal", () => {
	expect(refusalOf(new AppError('network', 'No.'))).toBeUndefined();
	expect(refusalOf(new Error('bug'))).toBeUndefined();
	const inner = refused(409, problem(409, 'No.', 'conflict_error'));
	expect(refusalOf(new AppError('failed', 'Wrapped.', {cause: inner}))?.type).toBe('conflict_error');
});
