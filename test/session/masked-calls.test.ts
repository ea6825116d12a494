import {expect, test} from 'vitest';
import * as z from 'zod/mini';
import {defineTool} from '../../src/agent/tools/define-tool.ts';
import {toMarkdown} from '../../src/command/export/export-text.ts';
import type {JsonObject} from '../../src/core/json.ts';
import type {AgentEvent} from '../../src/core/session/event.ts';
import type {Message} from '../../src/core/session/message.ts';
import {reduceTranscript} from '../../src/core/session/reduce-transcript.ts';
import {emptyTranscript} from '../../src/core/session/transcript.ts';
import {createStreamMask, maskEvent} from '../../src/session/mask-events.ts';
import {approvalsOf, call, finish, text} from '../agent/scripted.ts';
import {scripted} from '../store/scripted-conversation.ts';

const key = `sk-ant-api03-${'a1'.repeat(12)}`;
const command = `curl -u ada:hunter22 -H "X-Api-Key: ${key}" https://x.test`;
const masked = 'curl -u ada:*** -H "X-Api-Key: ***" https://x.test';

/** A tool that runs a command, and keeps with what. */
function recordingTool() {
	const ran: string[] = [];
	const tool = defineTool({
		name: 'run_command',
		description: 'Runs a command.',
		readOnly: false,
		arguments: z.strictObject({command: z.string()}),
		async run({command: given}, {approve}) {
			const permission = await approve({
				act: {kind: 'command', command: given, folder: '/', containment: 'none'},
				summary: `Run ${given}?`,
				subject: given,
			});
			ran.push(given);
			return permission.allowed ? `done with ${key}` : 'refused';
		},
	});
	return {tool, ran};
}

/** Returns the arguments of the calls that a request to the model carries. */
function callsIn(messages: readonly Message[] = []): readonly JsonObject[] {
	return messages.flatMap(message =>
		message.role === 'assistant'
			? message.parts.flatMap(part => (part.type === 'tool-call' ? [part.arguments] : []))
			: [],
	);
}

test('[8] a credential that the model writes into a command is run as approved, and kept and shown masked', async () => {
	const {tool, ran} = recordingTool();
	const {conversation, records, transcript, model} = scripted(
		[
			[call('run_command', {command}), finish('tool-calls')],
			[text('Done.'), finish('stop')],
			[text('Again.'), finish('stop')],
		],
		{loadTools: async () => [tool], createApprovals: () => approvalsOf(async ({hash}) => ({allowed: true, hash}))},
	);
	await conversation.send('Go');
	expect(ran).toEqual([command]);
	// Within the run the model reads what it wrote.
	expect(callsIn(model.asked[1])).toEqual([{command}]);

	const kept = JSON.stringify(records());
	expect(kept).toContain(JSON.stringify(masked).slice(1, -1));
	expect(kept).not.toContain(key);
	expect(kept).not.toContain('hunter22');
	expect(toMarkdown(transcript())).not.toContain('hunter22');

	await conversation.send('More');
	expect(callsIn(model.asked[2])).toEqual([{command: masked}]);
	const {session} = transcript();
	const resumed = records().reduce(reduceTranscript, emptyTranscript(session));
	expect(resumed.settled).toEqual(transcript().settled);
});

test('[8] a credential of the user that the model repeats is kept and shown masked, however it is split', async () => {
	const pieces = [
		`It starts with ${key.slice(0, 4)}`,
		key.slice(4, 20),
		`${key.slice(20)}, and sk is`,
		' its kind. sk-ant',
	];
	const {conversation, records, transcript, model} = scripted([
		[
			...pieces.map(piece => ({type: 'reasoning-delta', id: 'r', text: piece}) as const),
			...pieces.map(piece => text(piece)),
			finish('stop'),
		],
	]);
	await conversation.send(`Is this a key?\nKEY=${key}`);
	expect(JSON.stringify(model.asked[0])).toContain(key);
	expect(JSON.stringify(records())).not.toContain(key.slice(4, 20));
	const said = 'It starts with ***, and sk is its kind. sk-ant';
	const spoken = (type: string) =>
		records().flatMap(({event}) => (event.type === type && 'text' in event ? [event.text] : []));
	expect([spoken('reasoning-delta').join(''), spoken('text-delta').join('')]).toEqual([said, said]);
	expect(toMarkdown(transcript())).toContain(said);
});

test('[8] a key of the program that the host of the model repeats is kept and shown masked, however it is split', async () => {
	const own = 'my-gateway-key-0123456789';
	const pieces = ['You sent my-', 'gateway-key-01', '23456789, my friend, my', `. Twice: ${own}`];
	const {conversation, records, transcript} = scripted(
		[
			[...pieces.map(piece => text(piece)), finish('stop')],
			[...pieces.map(piece => ({type: 'reasoning-delta', id: 'r', text: piece}) as const), text('Hi'), finish('stop')],
		],
		{ownSecrets: () => [own]},
	);
	await conversation.send('Hi');
	await conversation.send('Hi again');
	expect(JSON.stringify(records())).not.toMatch(/0123456789|gateway/);
	const said = 'You sent ***, my friend, my. Twice: ***';
	const spoken = (type: string) =>
		records()
			.flatMap(({event}) => (event.type === type && 'text' in event ? [event.text] : []))
			.join('');
	expect([spoken('text-delta'), spoken('reasoning-delta')]).toEqual([`${said}Hi`, said]);
	expect(toMarkdown(transcript())).toContain(said);
});

test('what may begin a credential is shown before a call is written, and when a run or a sub-agent is cut off', () => {
	const {mask, endText} = createStreamMask({hide: each => each, ownSecrets: () => ['my-gateway-key-0123456789']});
	const delta = (given: string) => ({type: 'text-delta', id: 't', messageId: 'm', text: given}) as const;
	const textsOf = (events: readonly AgentEvent[]) => events.map(event => ('text' in event ? event.text : event.type));
	expect(textsOf([...mask(delta('I save them for my')), ...endText(), ...endText()])).toEqual([
		'I save them for ',
		'my',
	]);
	// A host may go on with the text behind the beginning of a call.
	const rest = [...mask(delta('-gateway')), ...endText(), ...mask(delta('-key-01')), ...mask(delta('23456789, m'))];
	expect(textsOf(rest)).toEqual(['-gateway', '***, ']);
	expect(textsOf(mask({type: 'run-end', reason: 'interrupted'} as AgentEvent))).toEqual(['m', 'run-end']);

	const inTask = (given: string) => mask({type: 'task', id: 'c', event: delta(given)});
	const inner = (events: readonly AgentEvent[]) =>
		events.map(event => (event.type === 'task' ? event.event : event.type));
	expect(inner(inTask('They are my'))).toEqual([delta('They are ')]);
	const result = {type: 'tool-result', id: 'c', output: '', failed: true, milliseconds: 0} as const;
	expect(inner(mask(result))).toEqual([delta('my'), 'tool-result']);
	inTask('They are my');
	expect(inner(mask({type: 'run-end', reason: 'error'} as AgentEvent))).toEqual([delta('my'), 'run-end']);
});

test('[8] a key that a host repeats in JSON or in a URL is masked, too, at whatever character the text is cut', () => {
	const key = 'Qv4x9JW\\wbr"Uw T3@yMQ+0/ä=';
	const text = `You sent ${key}: ${JSON.stringify({key})}, /v1?key=${encodeURIComponent(key)}.`;
	for (let cut = 0; cut <= text.length; cut++) {
		const {mask, endText} = createStreamMask({hide: each => each, ownSecrets: () => [key]});
		const delta = (piece: string) => ({type: 'text-delta', id: 't', messageId: 'm', text: piece}) as const;
		const events = [...mask(delta(text.slice(0, cut))), ...mask(delta(text.slice(cut))), ...endText()];
		const shown = events.map(event => ('text' in event ? event.text : '')).join('');
		expect(shown).toBe('You sent ***: {"key":"***"}, /v1?key=***.');
	}
});

test('[8] the output of a command is masked while it runs, too, and styles stay with what they were for', () => {
	const hide = (output: string) => output.replaceAll('own-key-0123', '***');
	const output = 'red own-key-0123 green\n';
	const styles = '0+3:31 4+12:35 17+5:32';
	const piece = {type: 'tool-output', id: 'a', text: output, styles} as const;
	const masked = {type: 'tool-output', id: 'a', text: 'red *** green\n', styles: '0+3:31 8+5:32'};
	expect(maskEvent(piece, hide)).toEqual(masked);
	expect(maskEvent({type: 'task', id: 't', event: piece}, hide)).toEqual({type: 'task', id: 't', event: masked});
	const result = {type: 'tool-result', id: 'a', output, styles, failed: false, milliseconds: 1} as const;
	expect(maskEvent(result, hide)).toEqual({...result, output: masked.text, styles: masked.styles});
});

test.each<[string, JsonObject, JsonObject]>([
	[
		'the content of a secret file',
		{path: 'app/.env', content: 'DB_PASSWORD=hunter22\n'},
		{path: 'app/.env', content: 'DB_PASSWORD=***\n'},
	],
	[
		'an edit of a secret file',
		{path: '.env', edits: [{old_text: 'TOKEN=abcdef', new_text: 'TOKEN=ghijkl'}]},
		{path: '.env', edits: [{old_text: 'TOKEN=***', new_text: 'TOKEN=***'}]},
	],
	[
		'a key in the content of any file',
		{path: 'a.ts', content: `const k = '${key}';\n`},
		{path: 'a.ts', content: "const k = '***';\n"},
	],
	[
		'a header',
		{url: 'https://x.test', headers: {'X-Api-Key': 'a1b2c3', accept: 'text/html'}},
		{url: 'https://x.test', headers: {'X-Api-Key': '***', accept: 'text/html'}},
	],
	[
		'a field of a body',
		{url: 'https://x.test', body: '{"password":"hunter22"}'},
		{url: 'https://x.test', body: '{"password":"***"}'},
	],
	['a parameter of a URL', {url: 'https://x.test/?token=a1b2c3d4'}, {url: 'https://x.test/?token=***'}],
	[
		'an argument named like one',
		{api_key: 'a1b2c3', deep: [{password: 'x'}]},
		{api_key: '***', deep: [{password: '***'}]},
	],
	['a key that names an argument', {[key]: 1}, {'***': 1}],
])('[8] %s is masked in the arguments of a call', async (_, given, kept) => {
	const {conversation, records} = scripted([
		[call('unknown', given), finish('tool-calls')],
		[text('Done.'), finish('stop')],
	]);
	await conversation.send('Go');
	expect(records().flatMap(({event}) => (event.type === 'tool-call' ? [event.arguments] : []))).toEqual([kept]);
});

test.each<JsonObject>([
	{path: 'src/a.ts', content: 'const password = readPassword();\nexport const token = process.env.TOKEN;\n'},
	{pattern: 'token: string', path: 'src', limit: 3, flags: [true, null]},
	{command: 'grep -rn "password=" src && npm test -- --token-file x'},
])('[8] arguments without a credential are kept as they are: %j', async given => {
	const {conversation, records} = scripted([
		[call('unknown', given), finish('tool-calls')],
		[text('Done.'), finish('stop')],
	]);
	await conversation.send('Go');
	expect(records().flatMap(({event}) => (event.type === 'tool-call' ? [event.arguments] : []))).toEqual([given]);
});

test('a credential that is part of another leaves nothing of that in what the model writes [8]', () => {
	const [host, url] = ['db.example.com', 'postgres://app:pa55word@db.example.com/main'];
	const {mask} = createStreamMask({hide: each => each, ownSecrets: () => [host, url]});
	const shown = mask({type: 'text-delta', id: 't', messageId: 'm', text: `Use ${url} or ${host}.`});
	expect(shown.map(event => ('text' in event ? event.text : '')).join('')).toBe('Use *** or ***.');
});
