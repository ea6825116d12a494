import {afterEach, describe, expect, test, vi} from 'vitest';
import {AppError} from '../../src/core/error.ts';
import {requestFailure, statusFailure, streamFailure, vendorMessage} from '../../src/providers/failure.ts';
import {fixture} from './replay.ts';

const vendor = {name: 'google', label: 'Google'} as const;
const fail = (status: number, body = '', headers: Readonly<Record<string, string>> = {}) =>
	statusFailure(vendor, status, headers, body);

afterEach(() => {
	vi.useRealTimers();
});

test.each([
	['OpenAI', {error: {message: 'No.', type: 'x', code: null}}],
	['Anthropic', {type: 'error', error: {type: 'x', message: 'No.'}}],
	['Google', [{error: {code: 400, message: 'No.', status: 'INVALID_ARGUMENT'}}]],
	['Mistral', {object: 'error', message: 'No.', type: 'x'}],
	['a validation', {detail: [{loc: ['body'], msg: 'No.', type: 'x'}]}],
	['a short host', {error: 'No.'}],
	['a host that says only what kind', {error: {type: 'No.'}}],
])('the message of %s error is found', (_, body) => {
	expect(vendorMessage(body)).toBe('No.');
});

test('a local host that is not running is named without the query of its address, which may have a key [8]', () => {
	const cause = Object.assign(new Error('connect'), {code: 'ECONNREFUSED'});
	const error = new AppError('network', 'Nothing is listening.', {cause});
	const custom = {name: 'custom', label: 'Custom'} as const;
	expect(requestFailure(custom, 'http://127.0.0.1:1/v1?key=abc', error)).toMatchObject({
		message: "Couldn't reach Custom at http://127.0.0.1:1/v1. Is it running?",
	});
});

test('a very long message is cut', () => {
	expect(vendorMessage({error: 'x'.repeat(10_000)})).toHaveLength(500);
});

test.each([
	[401, 'auth', 'Google rejected the key (401): Why.'],
	[403, 'auth', 'Google denied access (403): Why.'],
	[404, 'not-found', 'Google has no such model or address (404): Why.'],
	[429, 'provider', 'Google is rate-limiting you (429): Why.'],
	[500, 'network', 'Google is unavailable (500): Why.'],
	[529, 'network', 'Google is overloaded (529): Why.'],
	[400, 'provider', 'Google rejected the request (400): Why.'],
	[402, 'provider', 'Google needs credit (402): Why.'],
	[422, 'provider', 'Google rejected the request (422): Why.'],
	// It asks for another protocol, not for another version of us: that is what the platform says with it.
	[426, 'provider', 'Google rejected the request (426): Why.'],
])("status %d is %s, with the vendor's message", (status, code, message) => {
	const error = fail(status, '{"error":{"message":"Why."}}');
	expect(error).toBeInstanceOf(AppError);
	expect([error.code, error.message]).toEqual([code, message]);
});

test('an account without credit is not tried again, and the hint leads to another model', () => {
	const spent = fail(429, '{"error":{"code":"insufficient_quota","message":"Why."}}');
	expect([spent.message, spent.permanent, spent.temporary]).toEqual(['Google needs credit (429): Why.', true, false]);
	expect(fail(402).hint).toContain('`model use`');
});

test('a low balance of Anthropic, reported with status 400, needs credit', () => {
	const message = 'Your credit balance is too low to access the Anthropic API.';
	const error = fail(400, JSON.stringify({type: 'error', error: {type: 'invalid_request_error', message}}));
	expect(error).toMatchObject({message: `Google needs credit (400): ${message}`, permanent: true});
	expect(error.hint).toContain('Add credit');
});

test('a quota of a day is not tried again after the delay of a quota of a minute', () => {
	const details = [{violations: [{quotaId: 'GenerateRequestsPerDayPerProjectPerModel-FreeTier'}]}, {retryDelay: '34s'}];
	const error = fail(429, JSON.stringify({error: {message: 'Why.', status: 'RESOURCE_EXHAUSTED', details}}));
	expect(error).toMatchObject({permanent: true, message: 'Google: the quota of the day is used up (429): Why.'});
	const [{violations}, delay] = [{violations: [{quotaId: 'RequestsPerMinute-FreeTier'}]}, details[1]];
	const minute = JSON.stringify({error: {message: 'Why.', details: [{violations}, delay]}});
	expect(fail(429, minute)).toMatchObject({permanent: false, retryAfter: 34_000});
});

test('a used-up quota inside a stream says what to do, and is not tried again', () => {
	const error = streamFailure(vendor, {error: {code: 'insufficient_quota', message: 'Check your plan.'}});
	expect(error).toMatchObject({permanent: true, temporary: false, hint: expect.stringContaining('Add credit')});
});

test('a rejected key has a hint on how to check it', () => {
	expect(fail(401).hint).toBe('Check the key with `keys set google`.');
	expect(fail(401).message).toBe('Google rejected the key (401).');
});

test('an invalid Google key, reported with status 400, is a rejected key', () => {
	const details = [{'@type': 'ErrorInfo', reason: 'API_KEY_INVALID'}];
	expect(fail(400, JSON.stringify([{error: {message: 'API key not valid.', details}}])).code).toBe('auth');
});

test("a proxy's page is not an answer of the vendor", () => {
	expect(fail(502, fixture('proxy.html'))).toMatchObject({
		code: 'network',
		message: "Couldn't reach Google: a web page answered with status 502.",
	});
	expect(fail(302, '').code).toBe('network');
});

test.each([
	[200, false],
	[302, false],
	[400, false],
	[502, true],
])('a page with status %d may be retried: %s [23]', (status, mayHelp) => {
	expect(fail(status, fixture('proxy.html')).permanent).toBe(!mayHelp);
});

test('plain text is shown unchanged', () => {
	expect(fail(400, ' no such route \n').message).toBe('Google rejected the request (400): no such route');
});

test('a conversation that is too long has a hint on what to do', () => {
	const body = '{"error":{"message":"prompt is too long: 210000 tokens > 200000 maximum"}}';
	expect(fail(400, body)).toMatchObject({
		overflow: true,
		hint: 'Start a new session with `/new`, or edit the last message with `/rewind`.',
	});
});

describe('the wait before a retry', () => {
	const details = [{'@type': 'RetryInfo', retryDelay: '17.5s'}];

	test.each([
		[{'retry-after': '3'}, '', 3000],
		[{'retry-after-ms': '250', 'retry-after': '1'}, '', 250],
		[{'retry-after': 'Fri, 01 Jan 2027 00:00:30 GMT'}, '', 30_000],
		[{'retry-after': 'Fri, 01 Jan 2027 00:00:00 GMT'}, '', 0],
		[{'retry-after': 'soon'}, '', undefined],
		[{}, JSON.stringify({error: {message: 'Quota', details}}), 17_500],
		[{}, '', undefined],
		// Of limits that are used up, the last one to be reset counts; that of the server's clock.
		[
			{
				'anthropic-ratelimit-requests-remaining': '0',
				'anthropic-ratelimit-requests-reset': '2027-01-01T00:00:12Z',
				'anthropic-ratelimit-input-tokens-remaining': '0',
				'anthropic-ratelimit-input-tokens-reset': '2027-01-01T00:00:40Z',
				'anthropic-ratelimit-output-tokens-remaining': '8000',
				'anthropic-ratelimit-output-tokens-reset': '2027-01-01T00:09:00Z',
			},
			'',
			40_000,
		],
		[
			{
				date: 'Fri, 01 Jan 2027 00:00:10 GMT',
				'anthropic-ratelimit-tokens-remaining': '0',
				'anthropic-ratelimit-tokens-reset': '2027-01-01T00:00:40Z',
			},
			'',
			30_000,
		],
		[
			{
				'x-ratelimit-remaining-requests': '0',
				'x-ratelimit-reset-requests': '1m26.4s',
				'x-ratelimit-remaining-tokens': '0',
				'x-ratelimit-reset-tokens': '880ms',
			},
			'',
			86_400,
		],
		[{'x-ratelimit-remaining-requests': '10', 'x-ratelimit-reset-requests': '6m0s'}, '', undefined],
		[{'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1798761615000'}, '', 15_000],
		[{'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1798761615'}, '', 15_000],
		[{'ratelimit-remaining': '0', 'ratelimit-reset': '7'}, '', 7000],
		[{'ratelimit-remaining': '0', 'ratelimit-reset': 'soon'}, '', undefined],
		[{'retry-after': '2', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '60'}, '', 2000],
	] as const)('%j %s is %s milliseconds', (headers, body, expected) => {
		vi.useFakeTimers({now: Date.parse('2027-01-01T00:00:00Z')});
		expect(fail(429, body, headers).retryAfter).toBe(expected);
	});
});

test.each(['tool_use_failed', 'output_parse_failed'])(
	'[23] %s is about what the model wrote, so that the same request is sent again',
	code => {
		const body = {error: {message: 'Failed to call a function.', code, failed_generation: '<function=read_file>{"a"'}};
		const vendor = {name: 'groq', label: 'Groq'} as const;
		const expected = {code: 'provider', temporary: true, hint: expect.stringContaining('Try again')};
		expect(statusFailure(vendor, 400, {}, JSON.stringify(body))).toMatchObject(expected);
		expect(streamFailure(vendor, body)).toMatchObject(expected);
	},
);
