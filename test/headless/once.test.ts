import {expect, test} from 'vitest';
import {decideUnasked} from '../../src/agent/approval/unasked.ts';
import {createModelRetry} from '../../src/agent/model-retry.ts';
import {AppError} from '../../src/core/error.ts';
import type {Recorded} from '../../src/core/session/event.ts';
import type {Tool} from '../../src/core/session/tool.ts';
import {runOnce} from '../../src/headless/once.ts';
import {createConversation, openSession} from '../../src/session/conversation.ts';
import {createSwitch} from '../../src/session/session-switch.ts';
import {createAppStore} from '../../src/store/store.ts';
import {approvalsOf, call, echo, finish, type Script, scriptedModel, text} from '../agent/scripted.ts';
import {output} from './output.ts';

/** Runs a real conversation with a scripted model once. */
async function once(
	scripts: readonly Script[],
	format: 'text' | 'json' | 'stream-json',
	prompt = 'Hi',
	tools = [echo],
) {
	const store = createAppStore();
	store.getState().setModel('custom/demo');
	const listeners: Array<(record: Recorded) => void> = [];
	const logged: Recorded[] = [];
	const model = scriptedModel(...scripts);
	let ids = 0;
	const session = openSession({
		store,
		newId: () => `id-${++ids}`,
		now: () => '2026-01-01T00:00:00.000Z',
		openModel: async () => model.ask,
		loadTools: async () => tools,
		workspace: () => '/',
		createApprovals: () => approvalsOf(decideUnasked('never')),
		hide: text => text,
		retry: createModelRetry({sleep: async () => undefined, random: () => 0}),
		readLog: async () => logged,
		openLog: () => ({
			append: record => logged.push(record),
			flush: async () => undefined,
			settle: async () => undefined,
			close: async () => undefined,
		}),
		onRecord: record => listeners.map(listener => listener(record)),
	});
	const conversation = createConversation(() => session, createSwitch());
	const [stdout, stderr] = [output(), output()];
	const status = await runOnce(prompt, format, {
		store,
		conversation,
		onRecord: listener => listeners.push(listener),
		priceOf: async () => () => ({input: 1, cacheRead: 1, cacheWrite: 1, output: 1}),
		stdout,
		stderr,
	});
	return {status, stdout: stdout.text(), stderr: stderr.text(), logged};
}

const answer: Script = [
	text('Hello.'),
	{type: 'usage', usage: {input: 10, cacheRead: 0, cacheWrite: 0, output: 5, reasoning: 0}},
	finish('stop'),
];
const toolThenAnswer: readonly Script[] = [[call('echo', {word: 'x'}), finish('tool-calls')], answer];

test('text output is the answer with one line end', async () => {
	expect(await once([[text('Hello.\n'), finish('stop')]], 'text')).toMatchObject({
		status: 0,
		stdout: 'Hello.\n',
		stderr: '',
	});
});

test('json output is one object', async () => {
	const {status, stdout, stderr} = await once(toolThenAnswer, 'json');
	expect([status, stderr, stdout.split('\n').length]).toEqual([0, '', 2]);
	expect(JSON.parse(stdout)).toEqual({
		type: 'result',
		text: 'Hello.',
		tool_calls: [{name: 'echo', arguments: {word: 'x'}}],
		stop_reason: 'end_turn',
		usage: {
			input_tokens: 10,
			output_tokens: 5,
			cache_read_input_tokens: 0,
			cache_creation_input_tokens: 0,
			reasoning_tokens: 0,
		},
		cost_usd: 0.000015,
		session_id: 'id-1',
		error: null,
		warnings: [],
		refused: 0,
	});
});

test('stream-json output is every record, then the result object', async () => {
	const {stdout, logged} = await once(toolThenAnswer, 'stream-json');
	const lines = stdout
		.trimEnd()
		.split('\n')
		.map(line => JSON.parse(line));
	expect(lines.slice(0, -1)).toEqual(logged);
	expect(lines.map(line => line.event?.type ?? line.type)).toEqual([
		'run-start',
		'user-message',
		'tool-call',
		'tool-result',
		'text-delta',
		'usage',
		'run-end',
		'result',
	]);
	expect(lines.slice(0, -1).map(({seq}) => seq)).toEqual([0, 1, 2, 3, 4, 5, 6]);
});

const refused = new AppError('auth', 'The key was refused.', {hint: 'Run keys set.'});

test.each([
	['an error', [refused], 4, '', 'service: The key was refused.\n  Run keys set.\n'],
	['an error after a part', [text('Half'), refused], 4, 'Half\n', 'service: The key was refused.\n  Run keys set.\n'],
	['a token limit', [text('Half'), finish('length')], 3, 'Half\n', 'service: The answer was cut at the token limit.\n'],
	['a silent refusal', [finish('content-filter')], 3, '', 'service: The model declined to answer.\n'],
	['a filter', [text('I c'), finish('content-filter')], 3, 'I c\n', 'service: The model declined to answer.\n'],
	[
		'an empty answer',
		[finish('stop')],
		3,
		'',
		'service: The model gave an empty answer.\n  Ask again, or select another model.\n',
	],
	['a bug', [new TypeError('oops')], 1, '', 'service: Something went wrong inside service: oops\n'],
] as const)('%s is said beside the answer', async (_name, script, status, stdout, stderr) => {
	expect(await once([script], 'text')).toMatchObject({status, stdout, stderr});
});

test('the reason of a filtered answer is the error of the object', async () => {
	const filtered: Script = [{type: 'finish', reason: 'content-filter', message: 'Not about \u001B[2Jthat.'}];
	const {status, stdout, stderr} = await once([filtered], 'json');
	expect([status, stderr]).toEqual([3, '']);
	expect(JSON.parse(stdout)).toMatchObject({
		text: '',
		stop_reason: 'refusal',
		error: {code: 'incomplete', message: 'Not about \u001B[2Jthat.'},
	});
	expect((await once([filtered], 'stream-json')).stderr).toBe('');
	expect((await once([filtered], 'text')).stderr).toBe('service: Not about ␛[2Jthat.\n');
});

test('an answer with an unknown stop reason is incomplete, and the reason is shown', async () => {
	const odd: Script = [text('Half'), {type: 'finish', reason: 'other', vendorReason: 'hologram'}];
	const {status, stdout} = await once([odd], 'json');
	expect(status).toBe(3);
	expect(JSON.parse(stdout)).toMatchObject({
		text: 'Half',
		stop_reason: 'incomplete',
		error: {code: 'incomplete', message: expect.stringContaining('“hologram”')},
	});
});

test('a prompt that is too long gets a hint for the shell', async () => {
	const {status, stderr} = await once(
		[[new AppError('provider', 'Too long.', {overflow: true, hint: 'Esc Esc.'})]],
		'text',
	);
	expect([status, stderr]).toEqual([
		6,
		'service: Too long.\n  Shorten the prompt, or start a new session without -c and --resume.\n',
	]);
});

test('a cut answer is incomplete, in the exit status and in the object [22]', async () => {
	const cut: Script = [text('Half')];
	expect((await once([cut], 'text')).status).toBe(3);
	const {status, stdout, stderr} = await once([cut], 'json');
	expect([status, stderr]).toEqual([3, '']);
	expect(JSON.parse(stdout)).toMatchObject({
		text: 'Half',
		stop_reason: 'incomplete',
		error: {code: 'incomplete', message: expect.any(String)},
	});
});

test('an error is in the object and sets the exit status', async () => {
	const {status, stdout} = await once([[refused]], 'json');
	expect([status, JSON.parse(stdout)]).toMatchObject([
		4,
		{error: {code: 'auth', message: 'The key was refused.'}, stop_reason: 'error'},
	]);
});

test('an empty prompt is refused before any request', async () => {
	await expect(once([answer], 'text', ' \n')).rejects.toMatchObject({
		code: 'usage',
		message: 'The prompt is empty.',
		hint: 'Pass it as -p "prompt", or pipe it in.',
	});
});

test('a tool that needs approval is refused, for the model, the user and the journal', async () => {
	const read: Tool = {
		...echo,
		run: async (_, {approve}) => {
			const act = {kind: 'read-secret', path: '/.env'} as const;
			return `${(await approve({act, summary: 'Show .env to the model?', subject: 'read /.env'})).allowed}`;
		},
	};
	const {stderr, logged} = await once(toolThenAnswer, 'text', 'Hi', [read]);
	expect(stderr).toBe(
		'service: Refused without asking (not interactive): Show .env to the model?\n  Only the app can ask you for it.\n',
	);
	expect(logged.flatMap(({event}) => ('hash' in event || event.type === 'tool-result' ? [event] : []))).toMatchObject([
		{type: 'approval-request', summary: 'Show .env to the model?'},
		{type: 'approval-answer', allowed: false},
		{type: 'tool-result', output: expect.stringContaining("This run can't ask the user")},
	]);
});
