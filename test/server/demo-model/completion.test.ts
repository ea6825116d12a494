import {syncBuiltinESMExports} from 'node:module';
import timers from 'node:timers/promises';
import fc from 'fast-check';
import {expect, onTestFinished, test, vi} from 'vitest';
import {chatSchema} from '../../../src/server/demo-model/chat.ts';
import {piecesOf, streamCompletion, wholeCompletion} from '../../../src/server/demo-model/completion.ts';
import {replyTo} from '../../../src/server/demo-model/reply.ts';
import {anyText} from '../../any-text.ts';
import {bearer, send, serve} from '../serve.ts';

const tool = (name: string, properties: object = {}) => ({
	type: 'function',
	function: {name, parameters: {type: 'object', properties}},
});
const tools = [tool('list_files', {path: {}}), tool('read_file', {path: {}}), tool('search_text', {pattern: {}})];
const user = (content: string) => ({role: 'user', content});
const answered = (name: string, args: object, content: string) => [
	{
		role: 'assistant',
		content: null,
		tool_calls: [{id: 'c1', type: 'function', function: {name, arguments: JSON.stringify(args)}}],
	},
	{role: 'tool', tool_call_id: 'c1', content},
];
const chat = (messages: readonly object[], more: object = {}) =>
	chatSchema.parse({model: 'demo', messages, tools, ...more});

test('a tool call has only the arguments that its schema knows', () => {
	expect(replyTo(chat([user('search for a and read README.md')])).calls).toEqual([
		{name: 'read_file', arguments: {path: 'README.md'}},
		{name: 'search_text', arguments: {pattern: 'a and read README.md'}},
	]);
	expect(replyTo(chat([user('list the files')], {tools: []})).text).toMatch(/offered me none/);
});

test('a list of files is answered with their number and a table of folders', () => {
	const output = 'README.md\nsrc/a.ts\nsrc/b/c.ts\n[203 more of 206 files left out]';
	expect(replyTo(chat([user('list the files'), ...answered('list_files', {}, output)])).text).toBe(
		'**Demo model, no AI.**\n\nI found **206 files**. The first 3 files:\n\n| Folder | Files |\n| --- | --: |\n| `src/` | 2 |\n| `./` | 1 |\n',
	);
});

test('a file is answered with its first lines, in a fence longer than any backticks in it', () => {
	const output = '1\t# Title\n2\t```\n3\t````';
	const {text} = replyTo(chat([user('read README.md'), ...answered('read_file', {path: 'README.md'}, output)]));
	expect(text).toBe('**Demo model, no AI.**\n\nAll of `README.md`:\n\n`````md\n# Title\n```\n````\n`````\n');
});

test('matches are answered with a list', () => {
	const output = 'src/a.ts:3:  const `one` = 1;\nb:c.ts:10:one';
	const {text} = replyTo(chat([user('search for one'), ...answered('search_text', {pattern: 'one'}, output)]));
	expect(text).toBe(
		'**Demo model, no AI.**\n\nI found `one` in **2 lines**:\n\n- `src/a.ts:3` `` const `one` = 1; ``\n- `b:c.ts:10` `one`\n',
	);
});

test('a tool’s error is passed on', () => {
	const {text} = replyTo(chat([user('read x'), ...answered('read_file', {path: 'x.md'}, 'There is no “x.md”.')]));
	expect(text).toMatch(/`x\.md` could not be shown\. The tool said: `There is no “x\.md”\.`/);
});

test('a new prompt after tool results is answered itself', () => {
	expect(replyTo(chat([user('list the files'), ...answered('list_files', {}, 'a'), user('help')])).text).toMatch(
		/What you can try/,
	);
});

test('all chunks together are the whole reply, and usage counts the repeated history as cached', async () => {
	const first = [user('list the files and read README.md')];
	const request = chat([...first, ...answered('list_files', {}, 'a.ts')], {
		stream: true,
		stream_options: {include_usage: true},
	});
	const chunks: string[] = [];
	for await (const chunk of streamCompletion(
		request,
		{speed: Number.POSITIVE_INFINITY},
		new AbortController().signal,
	)) {
		chunks.push(chunk);
	}

	expect(chunks.at(-1)).toBe('[DONE]');
	const parsed = chunks.slice(0, -1).map(chunk => JSON.parse(chunk));
	const joined = (field: string) => parsed.map(({choices: [choice]}) => choice?.delta[field] ?? '').join('');
	const {reasoning, text} = replyTo(request);
	expect([joined('reasoning_content'), joined('content')]).toEqual([reasoning, text]);
	const {usage} = wholeCompletion(request);
	expect(parsed.at(-1)).toMatchObject({choices: [], usage});
	expect(usage).toMatchObject({
		prompt_tokens_details: {
			cached_tokens: Math.ceil(JSON.stringify({messages: first, tools: request.tools}).length / 4),
		},
	});
});

test('the pieces join to the text, and no character is split', () => {
	fc.assert(
		fc.property(anyText(), text => {
			const pieces = piecesOf(text);
			expect(pieces.join('')).toBe(text);
			expect(Math.max(0, ...pieces.map(piece => piece.trim().length))).toBeLessThanOrEqual(12);
		}),
	);
});

test('over HTTP, calls have an id, a name and arguments in pieces', async () => {
	const {url} = await serve();
	const body = JSON.stringify({model: 'demo', stream: true, tools, messages: [user('read README.md')]});
	const answer = await send(url, {
		method: 'POST',
		path: '/v1/chat/completions',
		headers: {...bearer, 'content-type': 'application/json'},
		body,
	});
	expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/event-stream']);
	const lines = answer.text.trimEnd().split('\n\n');
	expect(lines.at(-1)).toBe('data: [DONE]');
	const choices = lines.slice(0, -1).map(line => JSON.parse(line.slice(6)).choices[0]);
	const calls = choices.flatMap(({delta}) => delta.tool_calls ?? []);
	expect(calls[0]).toEqual({
		index: 0,
		id: expect.stringMatching(/^call_/),
		type: 'function',
		function: {name: 'read_file', arguments: ''},
	});
	expect(calls.map(call => call.function.arguments).join('')).toBe('{"path":"README.md"}');
	expect(calls.length).toBeGreaterThan(2);
	expect(choices.at(-1)).toEqual({index: 0, delta: {}, finish_reason: 'tool_calls'});
});

test('the default speed is no faster than a person reads', async () => {
	const pauses: number[] = [];
	const sleeping = vi.spyOn(timers, 'setTimeout').mockImplementation(async milliseconds => {
		pauses.push(milliseconds ?? 0);
		return undefined as never;
	});
	syncBuiltinESMExports();
	onTestFinished(() => {
		sleeping.mockRestore();
		syncBuiltinESMExports();
	});
	let chunks = 0;
	for await (const _ of streamCompletion(chat([user('thanks')]), {}, new AbortController().signal)) {
		chunks++;
	}

	const seconds = pauses.reduce((sum, milliseconds) => sum + milliseconds, 0) / 1000;
	expect(chunks / seconds).toBeLessThan(60);
});
