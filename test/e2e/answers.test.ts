import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {fixture} from '../providers/replay.ts';
import {openChat} from './app-in-process.ts';
import {connectedTo, waitForIdle} from './chat.ts';
import {runInProcess} from './in-process.ts';
import {type Answer, startModelHost} from './model-host.ts';
import {folderWith} from './program.ts';

async function withHost(query = '') {
	const host = await startModelHost();
	const {env, args} = connectedTo({baseUrl: host.baseUrl + query});
	const place = {env, folder: folderWith({a: 'content'}), home: join(folderWith(), 'home')};
	const run = async (...more: readonly string[]) => {
		const {status, stdout, stderr} = await runInProcess([...args, ...more, '--output-format', 'json'], place);
		return {status, stderr, result: JSON.parse(stdout)};
	};
	return {host, run};
}

const stream =
	(body: string) =>
	({refuse}: Answer) =>
		refuse(200, 'text/event-stream', body);
const said = (words: string, end: string) => {
	const chunk = {choices: [{index: 0, delta: {content: words}, finish_reason: end}]};
	return `data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`;
};

describe('an answer that is not whole ends -p with 3 and says why', () => {
	test.each([
		[
			'a cut at the token limit',
			said('Half', 'length'),
			'max_tokens',
			'Half',
			'The answer was cut at the token limit.',
		],
		['a filter', said('Ha', 'content_filter'), 'refusal', 'Ha', 'The answer was filtered (content_filter).'],
		['a refusal', fixture('chat-refusal.sse'), 'refusal', "I can't help with that.", 'The model declined to answer.'],
		[
			'an unknown end word',
			fixture('chat-unknown-end.sse'),
			'incomplete',
			'Half of it',
			'The answer ended with “hologram_exhausted”, an unknown reason. It may be incomplete.',
		],
	])('%s', async (_, body, stopReason, text, message) => {
		const {host, run} = await withHost();
		host.answerWith(stream(body));
		const {status, stderr, result} = await run('-p', 'hi');
		expect({status, stderr}).toEqual({status: 3, stderr: ''});
		expect(result).toMatchObject({text, stop_reason: stopReason, error: {code: 'incomplete', message}});
	});
});

test('a budget counts the usage that the provider reports', async () => {
	const {host, run} = await withHost();
	host.answerWith(stream(fixture('chat-reasoning-details.sse')));
	const {status, result} = await run('-p', 'hi', '--budget', '0.001');
	expect([status, result.cost_usd, host.chats().length]).toEqual([7, 0.375, 1]);
});

test('a run ends after 100 turns, with how to allow more', async () => {
	const {host, run} = await withHost();
	let turn = 0;
	host.answerWith(({call, finish}) => {
		turn += 1;
		call('read_file', {path: 'a', offset: turn});
		finish();
	});
	const {status, result} = await run('-p', 'hi');
	expect([status, host.chats().length, result.error.code]).toEqual([7, 100, 'budget']);
	expect(result.error.message).toContain('100 turns');
});

test('a host without tools still answers, and the user gets a notice', async () => {
	const {host, run} = await withHost();
	host.answerWith(
		({refuse}) => refuse(400, 'application/json', '{"error":{"message":"alpha does not support tools"}}'),
		stream(said('Hi.', 'stop')),
	);
	const {status, stderr, result} = await run('-p', 'hi');
	expect([status, stderr, result.text]).toEqual([
		0,
		"service: alpha doesn't support tools. Continuing without them.\n",
		'Hi.',
	]);
});

test('opaque data of a vendor is sent back in the next run, through the saved session', async () => {
	const {host, run} = await withHost();
	host.answerWith(stream(fixture('chat-reasoning-details.sse')), stream(said('Read.', 'stop')));
	await run('-p', 'Read a');
	await run('-p', 'And again', '-c');
	const messages = JSON.parse(host.received.at(-1)?.body ?? '').messages;
	const details = [{type: 'reasoning.text', text: 'I should look.', signature: 'c2lnbmVk'}, {data: 'c2VhbGVk'}];
	expect(messages.at(2)).toMatchObject({role: 'assistant', reasoning_details: details});
});

test('the query of a base URL is sent with the request', async () => {
	const {host, run} = await withHost('?api-version=1');
	await run('-p', 'hi');
	expect(host.received.map(({path}) => path)).toContain('/v1/chat/completions?api-version=1');
});

const overflow =
	'{"error":{"message":"This model has a context window of 8 tokens.","code":"context_length_exceeded"}}';
const tooLong = ({refuse}: Answer) => refuse(400, 'application/json', overflow);

test('a prompt that overflows the context is not sent again in the next run', async () => {
	const {host, run} = await withHost();
	host.answerWith(tooLong, stream(said('Hi.', 'stop')));
	expect((await run('-p', 'far too long')).status).toBe(6);
	expect((await run('-p', 'short', '-c')).status).toBe(0);
	expect(host.chats().map(messages => messages.slice(1))).toEqual([['user: far too long'], ['user: short']]);
});

test('after an overflow the app compacts what it can, shows what to do, leaves the refused message out, and lets it be edited', async () => {
	const {host, terminal} = await openChat();
	host.answerWith(tooLong, ({say, finish}) => {
		say('A short answer.');
		finish();
	});
	terminal.type('far too long\r');
	await terminal.waitFor(/✗ [\s\S]*context window[\s\S]*→ Start a new session with \/new, or edit the last message/);
	await waitForIdle(terminal);
	terminal.type('short\r');
	await terminal.waitFor('A short answer.');
	expect(host.chats().at(-1)?.slice(1)).toEqual(['user: short']);
	await waitForIdle(terminal);

	host.answerWith(
		tooLong,
		({say, finish}) => {
			say('A summary.');
			finish();
		},
		tooLong,
		({say, finish}) => {
			say('Another short answer.');
			finish();
		},
	);
	terminal.type('once more too long\r');
	await terminal.waitFor(
		/once more too long\n\nℹ The conversation no longer fits[\s\S]*⇣ Conversation compacted[\s\S]*✗ [\s\S]*→ Start a new session/,
	);
	await waitForIdle(terminal);
	terminal.press('escape');
	terminal.press('escape');
	await terminal.waitFor(() => /❯ once more too long\nEditing your previous message/.test(terminal.text()));
	terminal.press('ctrl+u');
	terminal.type('shorter\r');
	await terminal.waitFor('Another short answer.');
	expect(host.chats().at(-1)?.slice(1)).toEqual([expect.stringMatching(/^user: .*\n\nA summary\.$/), 'user: shorter']);
});
