import {readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {unchanged} from '../../src/command/result.ts';
import {printResult} from '../../src/headless/print.ts';
import {called, done, said, start, used, user} from '../core/records.ts';
import {output} from '../headless/output.ts';
import {dataOf, drawn, saveSession, testContext} from './context.ts';

const talk = [start, user('Read it'), said('I did.'), used('m1', 1000, 10), done];

test('sessions of the folder are listed, newest first', async () => {
	const here = testContext();
	const old = await saveSession(here, talk, '2026-01-01T00:00:00.000Z');
	const young = await saveSession(here, [...talk, {type: 'rename', title: 'Parser'}], '2026-02-01T00:00:00.000Z');
	const result = await here.run('sessions');
	expect(dataOf(result)).toEqual([
		{
			id: young,
			folder: here.folder,
			title: 'Parser',
			preview: 'Read it',
			updated_at: '2026-02-01T00:00:00.000Z',
			messages: 2,
			model: 'custom/demo',
		},
		{
			id: old,
			folder: here.folder,
			title: '',
			preview: 'Read it',
			updated_at: '2026-01-01T00:00:00.000Z',
			messages: 2,
			model: 'custom/demo',
		},
	]);
	for (const width of [80, 120]) {
		expect(drawn(result, width).split('\n')).toEqual([
			'id        updated     messages  about',
			`${young.slice(0, 8)}  2026-02-01         2  Parser`,
			`${old.slice(0, 8)}  2026-01-01         2  Read it`,
			'Resume one: /resume <id>',
		]);
	}
});

test('times are short, and exact with --exact, also in the picker', async () => {
	const here = testContext({answers: [undefined]});
	await saveSession(here, talk, new Date(Date.now() - 3 * 3_600_000 - 1000).toISOString());
	const result = await here.run('sessions');
	expect(drawn(result, 80)).toContain('  3 h ago  ');
	const out = output();
	printResult(result, out, {json: false, exact: true, env: {}});
	expect(out.text()).toMatch(/ {2}\d{4}-\d\d-\d\dT[\d:]{8}Z {2}/);
	await here.run('resume');
	expect(here.asked).toMatchObject([
		{choices: [{detail: expect.stringMatching(/^3 h ago · [\da-f]{8} · 2 messages/)}]},
	]);
	const exactly = testContext({like: here, answers: [undefined], flags: {exact: true}});
	await exactly.run('resume');
	expect(exactly.asked).toMatchObject([{choices: [{detail: expect.stringMatching(/^\d{4}-.*Z · /)}]}]);
});

test('sessions of other folders are listed only with --all', async () => {
	const here = testContext();
	await saveSession(here, talk);
	const elsewhere = testContext({like: {...here, folder: testContext().folder}});
	expect(drawn(await elsewhere.run('sessions'), 120)).toBe(
		'No sessions in this folder yet. List those of other folders: /sessions --all',
	);
	expect(drawn(await elsewhere.run('sessions', '--all'), 200)).toContain(`Read it (${here.folder})`);
	expect(drawn(await testContext().run('sessions', '--all'), 80)).toBe('No sessions yet.');
});

test('a session is resumed by its id or a prefix, or selected', async () => {
	const first = testContext();
	const id = await saveSession(first, talk);
	const here = testContext({like: first, answers: [id, undefined]});
	const open = {kind: 'panel', panel: {show: 'session', id}};
	expect([await here.run('resume', id), await here.run('continue', id.slice(0, 6))]).toEqual([open, open]);
	expect(await here.run('resume')).toEqual(open);
	expect(here.asked).toMatchObject([{title: 'Resume a session', choices: [{id, label: 'Read it'}]}]);
	expect(await here.run('resume')).toEqual(unchanged);
});

test('a session that cannot be resumed is an error', async () => {
	const {run} = testContext();
	await expect(run('resume', 'ffff')).rejects.toMatchObject({code: 'not-found'});
	await expect(run('resume')).rejects.toMatchObject({
		code: 'not-found',
		message: 'Nothing to resume: no other session in this folder.',
		hint: 'List those of other folders: `sessions --all`',
	});
});

test('rename changes the latest session or the given one', async () => {
	const here = testContext();
	const old = await saveSession(here, talk, '2026-01-01T00:00:00.000Z');
	await saveSession(here, talk, '2026-02-01T00:00:00.000Z');
	expect(dataOf(await here.run('rename', 'Fix', 'the', 'parser'))).toEqual({title: 'Fix the parser'});
	await here.run('rename', 'Old one', '--session', old.slice(0, 8));
	const data = dataOf(await here.run('sessions'));
	expect(Array.isArray(data) && data.map(({title}) => title).sort()).toEqual(['Fix the parser', 'Old one']);
});

test('an empty title and an empty session are refused', async () => {
	const {run, runInApp} = testContext();
	await expect(run('rename', ' ')).rejects.toMatchObject({code: 'usage'});
	await expect(run('rename', 'x')).rejects.toMatchObject({code: 'not-found'});
	await expect(runInApp('rename', 'x')).rejects.toMatchObject({code: 'usage', message: 'This session is empty.'});
});

test('a conversation is exported as Markdown: printed, or into a new file', async () => {
	const here = testContext();
	const id = await saveSession(here, talk);
	const markdown = `# Session ${id.slice(0, 8)}\n\n## You\n\nRead it\n\n## custom/demo\n\nI did.\n`;
	expect(await here.run('export')).toEqual({kind: 'lines', lines: markdown.trimEnd().split('\n'), data: markdown});

	const path = join(here.folder, 'notes.md');
	expect(await here.run('export', 'notes.md')).toEqual({
		kind: 'text',
		text: `Wrote ${path}.`,
		data: {path, bytes: markdown.length},
	});
	expect(readFileSync(path, 'utf8')).toBe(markdown);
});

test('an export without a name in the app goes to a new file outside the project, and says where', async () => {
	const here = testContext();
	const id = await saveSession(here, talk);
	const {kind, text} = (await here.runInApp('export', '--session', id)) as {
		readonly kind: string;
		readonly text: string;
	};
	expect(kind).toBe('text');
	const [, path = '', folder] = /^Wrote ((.*)\/session-[\da-f]{8}-\d{8}-\d{6}\.md)\.$/.exec(text) ?? [];
	expect(folder).toBe(join(here.home, 'exports'));
	expect(readFileSync(path, 'utf8')).toContain('## You');
	expect(readdirSync(here.folder)).toEqual([]);
});

test('an export replaces no file, and names the path if it fails', async () => {
	const here = testContext();
	await saveSession(here, talk);
	writeFileSync(join(here.folder, 'kept.md'), 'mine');
	await expect(here.run('export', 'kept.md')).rejects.toMatchObject({code: 'conflict'});
	expect(readFileSync(join(here.folder, 'kept.md'), 'utf8')).toBe('mine');
	await expect(here.run('export', 'no/such/folder.md')).rejects.toMatchObject({code: 'failed'});
});

test('with --events every record is exported as it was written', async () => {
	const here = testContext();
	const id = await saveSession(here, talk);
	const text = dataOf(await here.run('export', '--events', '--session', id.slice(0, 8)));
	const records = String(text)
		.trimEnd()
		.split('\n')
		.map(line => JSON.parse(line));
	expect(records.map(({seq, session, event}) => [seq, session, event])).toEqual(
		talk.map((event, seq) => [seq, id, event]),
	);
});

test('usage shows the latest session or the given one', async () => {
	const here = testContext();
	await saveSession(
		here,
		[start, user('Hi'), called('c'), used('m1', 5, 1, 'openai/gpt-4o'), done],
		'2026-01-01T00:00:00.000Z',
	);
	expect(dataOf(await here.run('usage'))).toMatchObject({
		usage: {total_input_tokens: 5, total_tool_call_count: 1, total_cost_usd: expect.any(Number)},
		models: [{model: 'openai/gpt-4o'}],
	});
	await expect(testContext().run('usage')).rejects.toMatchObject({code: 'not-found'});
	await expect(here.run('cost', '--session', 'ffff')).rejects.toMatchObject({code: 'not-found'});
});

test.each([80, 120])('usage is drawn at %d columns', async width => {
	const here = testContext();
	await saveSession(here, [start, user('Hi'), called('c'), used('m1', 5000, 10, 'openai/gpt-4o'), done]);
	const lines = drawn(await here.run('usage'), width).split('\n');
	expect(lines.slice(0, -1)).toEqual([
		'Usage of this session',
		'               current   total',
		'messages             2       2',
		'tool calls           1       1',
		'input tokens     5,000   5,000',
		'cache read           0       0',
		'cache write          0       0',
		'output tokens       10      10',
		'cost            $0.013  $0.013',
		'Compactions: 0 · last request: 5,000 input tokens',
		'',
		'By model',
		'model          input  cache read  cache write  output    cost',
		'openai/gpt-4o  5,000           0            0      10  $0.013',
	]);
	expect(lines.at(-1)).toMatch(/^Prices as of \d{4}-\d\d-\d\d\.$/);
});
