import {expect, test} from 'vitest';
import * as z from 'zod/mini';
import {createAskUser} from '../../../src/agent/tools/ask-user.ts';
import {defineTool} from '../../../src/agent/tools/define-tool.ts';
import {createJobOutput} from '../../../src/agent/tools/job-output.ts';
import {createListFiles} from '../../../src/agent/tools/list-files.ts';
import {createReadFile} from '../../../src/agent/tools/read-file.ts';
import {createSearchText} from '../../../src/agent/tools/search-text.ts';
import {createTodo} from '../../../src/agent/tools/todo.ts';
import type {JsonObject} from '../../../src/core/json.ts';
import type {Block} from '../../../src/core/session/block.ts';
import {parseRecorded, type ToolFacts} from '../../../src/core/session/event.ts';
import type {Tool} from '../../../src/core/session/tool.ts';
import {maskEvent} from '../../../src/session/mask-events.ts';
import {blockLines} from '../../../src/ui/transcript/block-lines.ts';
import {readFacts} from '../../../src/ui/transcript/old-results.ts';
import {openCommands} from '../../agent/tools/command/open-commands.ts';
import {makeWorkspace} from '../../agent/tools/workspace.ts';
import {palette} from '../canvas.ts';

const block = {
	kind: 'tool',
	id: 'c1',
	messageId: 'm1',
	model: '',
	name: 'run_command',
	arguments: {command: 'npm test'},
	status: 'done',
	output: '',
	milliseconds: 10,
	open: false,
	at: '2026-01-01T00:00:00.000Z',
} as const satisfies Block;

const files = {'a.txt': 'one\ntwo\none\n', 'src/b.ts': 'one\n', 'empty.txt': ''};

test.each<[name: string, args: JsonObject, facts: ToolFacts | undefined]>([
	['read_file', {path: 'a.txt'}, {lines: 3}],
	['read_file', {path: 'a.txt', offset: 2, limit: 1}, {lines: 1}],
	['read_file', {path: 'empty.txt'}, undefined],
	['list_files', {}, {files: 3, left: 0}],
	['list_files', {pattern: '*.py'}, {files: 0, left: 0}],
	['search_text', {pattern: 'one'}, {matches: 3, files: 2, left: 0}],
	['search_text', {pattern: 'zebra'}, {matches: 0, files: 0, left: 0}],
	['todo', {items: []}, {}],
	['ask_user', {question: 'Which?'}, {from: 19}],
])('a result of %s with %j has the facts that its text says', async (name, args, expected) => {
	const {stateFolder, context} = await makeWorkspace(files);
	const places = {stateFolder};
	const tools: Record<string, Tool> = {
		read_file: createReadFile(places),
		list_files: createListFiles(places),
		search_text: createSearchText(places),
		todo: createTodo(),
		ask_user: createAskUser(() => async () => 'the first'),
	};
	let facts: ToolFacts | undefined;
	const output = (await tools[name]?.run(args, {...context, onFacts: reported => (facts = reported)})) ?? '';
	expect(facts).toEqual(expected);
	// A journal without facts is drawn the same.
	const call = {...block, name, arguments: args, output};
	const draw = (shown: Block) => blockLines(shown, {width: 60, palette});
	expect(draw(facts ? {...call, facts} : call)).toEqual(draw(call));
	expect(readFacts(name, output)).toEqual(name === 'read_file' && facts ? {...facts, left: 0} : facts);
});

test.each(['echo one; echo two', 'true', 'echo broken; exit 3', 'kill -KILL $$', 'printf "a\\n\\n\\n"'])(
	'the facts of the command %j are those that its text says',
	async command => {
		const {run, context} = await openCommands({hasSandbox: false});
		let facts: ToolFacts | undefined;
		const output = await run(command, {}, {...context, onFacts: reported => (facts = reported)});
		expect(facts).toEqual(readFacts('run_command', output));
		const status = facts?.end === undefined ? 'done' : 'failed';
		const draw = (call: Block) => blockLines(call, {width: 60, palette});
		expect(draw({...block, status, output, ...(facts && {facts})})).toEqual(draw({...block, status, output}));
	},
);

test('a job says in its facts that it runs, then how it ended', async () => {
	const {session, run, context} = await openCommands({hasSandbox: false});
	await run('echo one; sleep 0.2; exit 4', {background: true});
	const seen: ToolFacts[] = [];
	const read = (wait: number) =>
		createJobOutput(session).run({job: '1', wait_sec: wait}, {...context, onFacts: facts => seen.push(facts)});
	await read(0);
	await read(60);
	expect(seen).toMatchObject([
		{above: 0, below: 1, end: expect.stringMatching(/^running for /)},
		{status: 4, end: 'exit status 4'},
	]);
	expect(seen[0]).not.toHaveProperty('status');
});

test('the lines of a command are those that its facts name, whatever they look like', () => {
	const output =
		'[The user changed the command to: a]\n[not a note]\n\n[1] done\n[exit status 1 after 2 s]\n\n[A hook says so]';
	const facts = {lines: 3, above: 1, below: 3, status: 1, end: 'exit status 1'};
	expect(blockLines({...block, status: 'failed', output, facts}, {width: 60, palette})).toEqual([
		'✗ Run npm test · exit status 1',
		'[The user changed the command to: a]',
		'[A hook says so]',
		'[not a note]',
		'[1] done',
	]);
});

test('the end of a job is drawn behind its call, and a job that runs has not failed', () => {
	const output = 'listening\n[job 1: running for 3 s]';
	const facts = {lines: 1, above: 0, below: 1, end: 'running for 3 s'};
	const call = {...block, name: 'job_output', arguments: {job: '1'}, output, facts};
	expect(blockLines(call, {width: 60, palette})).toEqual([
		'✓ Read output of job 1 · running for 3 s · 1 line',
		'listening',
	]);
});

test('a new tool is drawn by what its call and its result say of themselves', () => {
	const count = defineTool({
		name: 'count',
		description: 'Count.',
		readOnly: true,
		words: ({what}) => ({verb: 'Count', subject: what}),
		arguments: z.strictObject({what: z.string()}),
		run: async () => 'x',
	});
	expect(count.words?.({what: 7})).toBeUndefined();
	const words = count.words?.({what: 'stars'});
	const call = {...block, name: 'count', arguments: {what: 'stars'}, output: 'x', ...(words && {words})};
	const draw = (facts: ToolFacts) => blockLines({...call, facts}, {width: 60, palette})[0];
	expect([draw({lines: 1}), draw({files: 2, left: 3}), draw({matches: 1, files: 1}), draw({})]).toEqual([
		'✓ Count stars · 1 line',
		'✓ Count stars · 5 files',
		'✓ Count stars · 1 match in 1 file',
		'✓ Count stars',
	]);
});

test('facts that this version does not know leave the result as it is', () => {
	const record = (facts: unknown) => ({
		v: 1,
		seq: 0,
		at: block.at,
		session: 's',
		server: 'local',
		event: {type: 'tool-result', id: 'c1', output: 'x', failed: false, milliseconds: 1, facts},
	});
	expect(parseRecorded(record({lines: 2}))?.event).toMatchObject({facts: {lines: 2}});
	expect(parseRecorded(record({lines: 'two'}))?.event).toMatchObject({output: 'x', facts: undefined});
});

test('[8] a credential in the words of a call, or in how a command ended, is masked', () => {
	const call = {type: 'tool-call', id: 'c1', messageId: 'm1', name: 'count', arguments: {}} as const;
	const hide = (text: string) => text.replace('hunter2', '***');
	const counted = maskEvent({...call, words: {verb: 'Count', subject: 'in hunter2'}}, hide);
	expect(counted).toMatchObject({words: {verb: 'Count', subject: 'in ***'}});
	const result = {type: 'tool-result', id: 'c1', output: '', failed: true, milliseconds: 1} as const;
	const masked = maskEvent({...result, facts: {status: null, end: 'spawn hunter2'}}, hide);
	expect(masked).toMatchObject({facts: {status: null, end: 'spawn ***'}});
});
