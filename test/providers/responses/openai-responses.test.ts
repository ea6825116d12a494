import {expect, test} from 'vitest';
import {openaiResponses} from '../../../src/providers/responses/openai-responses.ts';
import {collect, eventsOf, fakeHost, fixture, requestOf, summaryOf, untilFailure, withoutNewIds} from '../replay.ts';

const wire = 'openai-responses';

test.each([
	['responses-error.sse', [{type: 'text-delta', id: 'text-0-0', text: 'Well'}], 'The server had an error.'],
	[
		'responses-failed.sse',
		[{type: 'usage', usage: {input: 4, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0}}],
		'Slow down.',
	],
])("%s throws the vendor's message after the events before it", async (name, before, words) => {
	const {transport} = fakeHost({body: fixture(name)});
	const {seen, error} = await untilFailure(openaiResponses(requestOf(transport)));
	expect(seen).toEqual(before);
	expect(error).toMatchObject({code: 'provider', message: `OpenAI reported an error: ${words}`});
});

test('the text of a refusal comes once and ends the answer', async () => {
	expect(await eventsOf(openaiResponses, fixture('responses-refusal.sse'))).toEqual([
		{type: 'text-delta', id: 'refusal-0-0', text: "I can't help "},
		{type: 'text-delta', id: 'refusal-0-0', text: 'with that.'},
		{type: 'usage', usage: {input: 4, cacheRead: 0, cacheWrite: 0, output: 8, reasoning: 0}},
		{type: 'finish', reason: 'content-filter'},
	]);
});

test('ended reasoning is sealed, a text keeps its phase, hosted items are ignored', async () => {
	const summary = [
		{type: 'summary_text', text: 'First'},
		{type: 'summary_text', text: 'Second'},
	];
	const item = {type: 'reasoning', id: 'rs_1', summary, encrypted_content: 'sealed'};
	expect(withoutNewIds(await eventsOf(openaiResponses, fixture('responses-odd.sse')))).toEqual([
		{type: 'reasoning-delta', id: 'summary-0-0', text: 'First'},
		{type: 'reasoning-delta', id: 'summary-0-1', text: 'Second'},
		{type: 'reasoning-delta', id: 'summary-0-1', text: '', opaque: {wire, data: item}},
		{type: 'text-delta', id: 'text-2-0', text: 'Looking.'},
		{type: 'text-delta', id: 'text-2-0', text: '', opaque: {wire, data: {phase: 'commentary'}}},
		{type: 'tool-call', id: 'call_1', name: 'read_file', arguments: {}, malformed: '{"path":'},
		{type: 'tool-call', id: 'new', name: 'list_files', arguments: {}},
		{type: 'usage', usage: {input: 6, cacheRead: 4, cacheWrite: 0, output: 6, reasoning: 2}},
		{type: 'finish', reason: 'length'},
	]);
});

const said = {type: 'message', content: [{type: 'output_text', text: 'Whole.'}]};

test.each([
	['the end of its item', [{type: 'response.output_item.done', output_index: 0, item: said}], {output: []}],
	['the completed response', [], {output: [said]}],
	[
		'the end of its item and the completed response',
		[{type: 'response.output_item.done', item: said}],
		{output: [said]},
	],
])('text that only %s carries comes once', async (_, before, response) => {
	const chunks = [...before, {type: 'response.completed', response}];
	const body = chunks.map(chunk => `data: ${JSON.stringify(chunk)}\n\n`).join('');
	expect(await eventsOf(openaiResponses, body)).toEqual([
		{type: 'text-delta', id: 'text-0-0', text: 'Whole.'},
		{type: 'finish', reason: 'stop'},
	]);
});

test('calls that only the completed response carries are read', async () => {
	const call = {type: 'function_call', call_id: 'c1', name: 'list_files', arguments: '{}'};
	const completed = {type: 'response.completed', response: {status: 'completed', output: [{type: 'message'}, call]}};
	expect(await eventsOf(openaiResponses, `data: ${JSON.stringify(completed)}\n\n`)).toEqual([
		{type: 'tool-call', id: 'c1', name: 'list_files', arguments: {}},
		{type: 'finish', reason: 'tool-calls'},
	]);
});

test.each([
	['content_filter', {reason: 'content-filter', vendorReason: 'content_filter'}],
	['max_output_tokens', {reason: 'length'}],
	['something_new', {reason: 'other', vendorReason: 'something_new'}],
])('a response that is incomplete because of %s ends with %j', async (reason, expected) => {
	const incomplete = {type: 'response.incomplete', response: {incomplete_details: {reason}}};
	expect(await eventsOf(openaiResponses, `data: ${JSON.stringify(incomplete)}\n\n`)).toEqual([
		{type: 'finish', ...expected},
	]);
});

const unverified = 'Your organization must be verified to generate reasoning summaries.';

test('an organization that may not have reasoning summaries gets an answer without them', async () => {
	const done = 'data: {"type":"response.completed","response":{}}\n\n';
	const end = fakeHost({status: 400, body: JSON.stringify({error: {message: unverified}})}, {body: done});
	expect(await collect(openaiResponses(requestOf(end.transport, {model: 'o3'})))).toEqual([
		{type: 'finish', reason: 'stop'},
	]);
	expect([end.bodyOf(0).reasoning, end.bodyOf(1).reasoning]).toEqual([{summary: 'auto'}, undefined]);
	expect(end.bodyOf(1).include).toEqual(['reasoning.encrypted_content']);
});

test.each([
	[400, 'Something else is wrong.', 'o3'],
	[400, unverified, 'gpt-4o'],
])('[23] a %d with “%s” from %s is not retried as it was', async (status, message, model) => {
	const end = fakeHost({status, body: JSON.stringify({error: {message}})});
	await expect(collect(openaiResponses(requestOf(end.transport, {model})))).rejects.toMatchObject({code: 'provider'});
	const sent = end.requests.map(({body}) => String(body));
	expect(new Set(sent).size).toBe(sent.length);
	expect(sent.length).toBeLessThan(6);
});

test('text comes once if a host renumbers content at the end of its item', async () => {
	const whole = withoutNewIds(await eventsOf(openaiResponses, fixture('responses-renumbered.sse')));
	expect(whole).toEqual([
		{type: 'reasoning-delta', id: 'thought-0-0', text: 'A greeting.'},
		{type: 'text-delta', id: 'text-1-1', text: 'Hello '},
		{type: 'text-delta', id: 'text-1-1', text: 'there.'},
		{type: 'usage', usage: {input: 4, cacheRead: 0, cacheWrite: 0, output: 8, reasoning: 0}},
		{type: 'finish', reason: 'stop'},
	]);
});

test('text comes once if a host changes the ids of an item, also text that only its item carries', async () => {
	const {text, finish} = summaryOf(await eventsOf(openaiResponses, fixture('responses-new-ids.sse')));
	expect([text, finish]).toEqual(['One.Two.Three, told whole.', ['stop']]);
});

const bodyOf = (...chunks: readonly object[]) => chunks.map(chunk => `data: ${JSON.stringify(chunk)}\n\n`).join('');

test('items that share an output index are kept apart by their ids', async () => {
	const item = (id: string, text: string) => [
		{type: 'response.output_item.added', output_index: 0, item: {id, type: 'message', content: []}},
		{type: 'response.output_text.delta', item_id: id, output_index: 0, content_index: 0, delta: text},
	];
	const end = (id: string, text: string) => ({
		type: 'response.output_item.done',
		output_index: 0,
		item: {id, type: 'message', content: [{type: 'output_text', text}]},
	});
	const body = bodyOf(...item('a', 'Yes.'), ...item('b', 'No.'), end('a', 'Yes.'), end('b', 'No.'));
	expect(summaryOf(await eventsOf(openaiResponses, body)).text).toBe('Yes.No.');
});

test('a second text of an item without deltas comes at the end of the item', async () => {
	const delta = {type: 'response.output_text.delta', item_id: 'a', output_index: 0, content_index: 1, delta: 'One. '};
	const content = [said.content[0], {type: 'output_text', text: 'One. '}];
	const end = {type: 'response.output_item.done', output_index: 0, item: {id: 'a', type: 'message', content}};
	expect(summaryOf(await eventsOf(openaiResponses, bodyOf(delta, end))).text).toBe('One. Whole.');
});

test('a call whose item ends twice is one call', async () => {
	const item = {id: 'fc_1', type: 'function_call', call_id: 'c1', name: 'list_files', arguments: '{}'};
	const end = {type: 'response.output_item.done', output_index: 0, item};
	expect(summaryOf(await eventsOf(openaiResponses, bodyOf(end, end))).calls).toHaveLength(1);
});
