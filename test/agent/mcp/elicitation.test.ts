import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, onTestFinished, test, vi} from 'vitest';
import {createCallLimit} from '../../../src/agent/mcp/requests.ts';
import type {AskUser, UserQuestion} from '../../../src/core/session/user-question.ts';
import {temporaryFolder} from '../../storage/temporary.ts';
import {node, official, openServers} from './servers.ts';

const cancelled = undefined;

/** A user who gives these answers in turn, and then cancels. */
function user(...answers: readonly (string | undefined)[]) {
	const asked: UserQuestion[] = [];
	const left = [...answers];
	const ask: AskUser = async question => {
		asked.push(question);
		return left.shift();
	};
	return {ask, asked};
}

const open = (options: Parameters<typeof openServers>[1] = {}, timeout?: number) =>
	openServers({docs: {...node(official, 'asks'), ...(timeout !== undefined && {timeout})}}, options);
const filled = ['Answer', 'ada@example.com', '36', 'Small', 'Yes', '1, 3'];

test('the user fills in a form field by field, sees it once more, and sends it', async () => {
	const {ask, asked} = user(...filled, 'Send');
	const {call} = open({ask});
	expect(JSON.parse(await call('mcp__docs__form'))).toEqual([
		{
			action: 'accept',
			content: {email: 'ada@example.com', age: 36, size: 's', news: true, tags: ['a', 'c']},
		},
	]);
	expect(asked[0]).toMatchObject({
		question:
			'The MCP server docs asks: Who are you (0)?\u001b[2J\n' +
			'It wants: Email, age, size (optional), news (optional), tags (optional)',
		choices: [{label: 'Answer'}, {label: 'Decline'}],
		form: {isNext: false},
	});
	expect(asked[1]).toMatchObject({
		question: 'docs · 1 of 5 · Email\nWhere to write\nAn email address.',
		form: {initial: '', mayBeEmpty: false},
	});
	expect(asked[2]).toMatchObject({
		question: 'docs · 2 of 5 · age\nA whole number at least 1 and at most 150.',
		form: {initial: '30'},
	});
	// The default is the first choice.
	expect(asked[3]?.choices).toEqual([{label: 'Large', description: 'default'}, {label: 'Small'}, {label: 'Skip'}]);
	expect(asked[6]).toMatchObject({
		question: 'Send this to the MCP server docs?\nEmail: ada@example.com\nage: 36\nsize: Small\nnews: Yes\ntags: a, c',
		form: {isNext: false},
	});
});

test('what breaks the schema is asked again, and answers can be changed before they are sent', async () => {
	const {ask, asked} = user(
		...['Answer', 'nobody', '', 'ada@example.com', '1.5', '151', 'ten', '7', 'Skip', 'Skip', '9', '1,2,3', ''],
		...['Change', 'eve@example.com', '8', 'Large', 'No', '2', 'Send'],
	);
	const {call} = open({ask});
	expect(JSON.parse(await call('mcp__docs__form'))).toEqual([
		{action: 'accept', content: {email: 'eve@example.com', age: 8, size: 'l', news: false, tags: ['b']}},
	]);
	const problems = asked.map(({question}) => question.split('\n')[0]);
	expect(problems).toContain('“nobody” is not valid: it must be an email address.');
	expect(problems).toContain('An answer is required.');
	expect(problems).toContain('“1.5” is not valid: it must be a whole number at least 1 and at most 150.');
	expect(problems).toContain('“9” is not valid: it must be numbers of choices, such as 1, 3; at most 2.');
	// A change begins with what was answered.
	expect(asked.at(-6)?.form?.initial).toBe('ada@example.com');
	expect(asked[13]?.question).toContain('size: –');
});

test('the server is told what the user refuses, at any step, and gets nothing', async () => {
	const {ask} = user('Decline', cancelled, 'Answer', cancelled, ...filled, 'Decline', ...filled, cancelled);
	const {call} = open({ask});
	for (const action of ['decline', 'cancel', 'cancel', 'decline', 'cancel']) {
		expect(JSON.parse(await call('mcp__docs__form'))).toEqual([{action}]);
	}
});

test('where nobody can be asked a form is declined, with a note', async () => {
	const notes: string[] = [];
	const {call, status} = open();
	expect(await call('mcp__docs__form', {}, {onNotice: text => notes.push(text)})).toBe('[{"action":"decline"}]');
	expect(notes).toEqual([
		expect.stringMatching(/^The MCP server docs asked for input .*Declined: nobody can be asked/),
	]);
	expect((await status('docs')).log.join()).toContain('nobody can be asked here');
});

test('a server that floods is declined after a few questions, and two refusals are enough', async () => {
	const {ask, asked} = user();
	const notes: string[] = [];
	const answers = JSON.parse(
		await open({ask}).call('mcp__docs__form', {times: 60}, {onNotice: text => notes.push(text)}),
	);
	expect(answers).toHaveLength(60);
	expect(asked.length).toBeLessThanOrEqual(2);
	expect(answers.filter(({action}: {action: string}) => action === 'decline').length).toBeGreaterThanOrEqual(58);
	expect(notes.length).toBeLessThanOrEqual(10);
});

test('a server asks only during a call of its tools', async () => {
	const {ask, asked} = user('Decline');
	const file = join(temporaryFolder(), 'state');
	const {call, status} = openServers({docs: node(official, 'asks', file)}, {ask});
	await call('mcp__docs__later');
	writeFileSync(file, 'ask');
	await expect.poll(async () => (await status('docs')).log.join()).toContain('later: decline');
	expect((await status('docs')).log.join()).toContain('it asks only while one of its tools is called');
	expect(asked).toEqual([]);
});

test('the time limit of a call rests while the user is asked', () => {
	vi.useFakeTimers();
	onTestFinished(() => void vi.useRealTimers());
	let isAsking = true;
	const limit = createCallLimit(100, () => isAsking);
	vi.advanceTimersByTime(1000);
	isAsking = false;
	limit.touch();
	vi.advanceTimersByTime(99);
	expect(limit.signal.aborted).toBe(false);
	vi.advanceTimersByTime(1);
	expect(limit.signal.aborted).toBe(true);
});

test('a call that never ends fails, and an interrupt closes the question', async () => {
	await expect(open({}, 20).call('mcp__docs__slow')).rejects.toMatchObject({
		message: 'The MCP server docs failed: it did not answer for 0.02 s.',
	});

	const stop = new AbortController();
	let closed: AbortSignal | undefined;
	const ask: AskUser = async (_, signal) => {
		closed = signal;
		stop.abort();
		return new Promise((_resolve, reject) => {
			signal.addEventListener('abort', () => reject(signal.reason), {once: true});
		});
	};
	await expect(open({ask}).call('mcp__docs__form', {}, {signal: stop.signal})).rejects.toMatchObject({
		name: 'AbortError',
	});
	await expect.poll(() => closed?.aborted).toBe(true);
});

test('a page is opened only on yes, with its host named, and only if it is https', async () => {
	const opened: string[] = [];
	const openPage = async (url: string) => opened.push(url) > 0;
	const {ask, asked} = user('Decline', 'Open it');
	const {call} = open({ask, openPage});
	const url = 'https://login.example.com/x?y=1';
	expect(await call('mcp__docs__page', {url})).toBe('{"action":"decline"}');
	expect(opened).toEqual([]);
	expect(await call('mcp__docs__page', {url})).toBe('{"action":"accept"}');
	expect(opened).toEqual([url]);
	expect(asked[0]?.question).toBe(`The MCP server docs asks you to open a page of login.example.com:\n${url}\nLog in`);
	for (const bad of [
		'http://example.com/',
		'file:///etc/passwd',
		'javascript:alert(1)',
		'https://bank.com@evil.com/',
	]) {
		expect(await call('mcp__docs__page', {url: bad}), bad).toBe('{"action":"decline"}');
	}

	expect(asked).toHaveLength(2);
});

test('a call that needs a page first asks for it, and tells the model to call again', async () => {
	const {ask} = user('Continue, I open it myself', 'Decline');
	const {call} = open({ask});
	await expect(call('mcp__docs__needs-page')).rejects.toMatchObject({
		message: 'The tool needs the user to finish something in their browser first.',
	});
	await expect(call('mcp__docs__needs-page')).rejects.toMatchObject({
		message: 'The tool needs a page that the user did not open.',
	});
});
