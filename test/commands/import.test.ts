import {mkdirSync, readFileSync, symlinkSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {beforeEach, expect, test} from 'vitest';
import {toMessages} from '../../src/core/session/read-conversation.ts';
import {answered, asked, beginClaude, codex, item, result, sessionId, spoke} from '../core/foreign/transcripts.ts';
import {temporaryFolder} from '../storage/temporary.ts';
import {dataOf, drawn, type TestContext, testContext} from './context.ts';

beforeEach(beginClaude);

type Found = {readonly id: string; readonly client: string; readonly is_new: boolean; readonly remainder: string[]};

const other = '7d9f3a52-1c7e-4f6e-9a55-0123456789ab';
const lines = (...values: readonly unknown[]) => values.map(value => `${JSON.stringify(value)}\n`).join('');
const talk = (cwd: string) => [
	asked('Fix the parser', {cwd}),
	answered([{type: 'tool_use', id: 't1', name: 'Bash', input: {command: 'npm test'}}], 'm1', {cwd}),
	result('t1', '1 failed', {cwd}),
	answered([{type: 'text', text: 'It is fixed.'}], 'm2', {cwd}),
];
const rollout = (cwd: string) => [
	codex('session_meta', {id: other, cwd, cli_version: '0.137.0'}),
	spoke('user', 'List'),
	item('function_call', {name: 'shell', arguments: '{"command":["ls"]}', call_id: 'c1'}),
	item('function_call_output', {call_id: 'c1', output: 'a'}),
	spoke('assistant', 'One.'),
];

function put(folder: string, name: string, content: string | Buffer): string {
	const path = join(folder, name);
	mkdirSync(join(path, '..'), {recursive: true});
	writeFileSync(path, content);
	return path;
}

const sessionsOf = (result: Parameters<typeof dataOf>[0]) => (dataOf(result) as {sessions: Found[]}).sessions;
const saved = async ({context}: TestContext, id: string) => {
	const {read, find} = context.program.session.saved;
	return read(await find(id));
};

test('a transcript becomes a session that the picker shows as foreign, with its context', async () => {
	const here = testContext({answers: [undefined]});
	const path = put(temporaryFolder(), `${sessionId}.jsonl`, lines(...talk(here.folder)));
	const found = await here.run('import', path);
	expect(sessionsOf(found)).toMatchObject([{id: sessionId, client: 'Claude Code', is_new: true, remainder: []}]);
	expect(drawn(found, 100).split('\n')).toEqual([
		'Imported 1 conversation',
		'id        from         updated     messages  calls  about',
		'5b1c0c7e  Claude Code  2026-03-01         3      1  Fix the parser',
		'Resume one: /resume <id>',
	]);
	await here.run('resume');
	expect(here.asked).toMatchObject([
		{choices: [{id: sessionId, label: 'Fix the parser', detail: expect.stringMatching(/^2026-.* · from Claude Code/)}]},
	]);
	expect(drawn(await here.run('sessions'), 100)).toContain('Fix the parser (from Claude Code)');
	const {transcript} = await saved(here, sessionId);
	expect(toMessages(transcript).map(({role}) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
	expect(transcript.settled[0]).toMatchObject({kind: 'notice', text: 'Imported from Claude Code 2.1.63.'});
});

test('a folder is imported file by file: hostile ones beside good ones are counted and said', async () => {
	const here = testContext();
	const root = temporaryFolder();
	put(root, `a/${sessionId}.jsonl`, `\uFEFF${lines(...talk(here.folder))}`);
	put(root, `2026/03/01/rollout-2026-03-01T00-00-00-${other}.jsonl`, `${lines(...rollout(here.folder))}{"timest`);
	put(root, 'b/junk.jsonl', 'not JSON\n\u0000\n[1]\n');
	put(root, 'b/empty.jsonl', '');
	put(root, 'b/agent-1.jsonl', lines(...talk('/x')));
	put(root, 'b/packed.jsonl.zst', 'x');
	put(root, 'b/sessions-index.json', '{}');
	symlinkSync('/etc/passwd', join(root, 'b/link.jsonl'));
	symlinkSync(root, join(root, 'b/loop'));
	const found = await here.run('import', root);
	expect(sessionsOf(found)).toMatchObject([
		{id: other, client: 'Codex', remainder: ['Left out: 1 last line that was cut off.']},
		{id: sessionId, client: 'Claude Code', remainder: []},
	]);
	const text = drawn(found, 200);
	for (const said of [
		`${other.slice(0, 8)}: Left out: 1 last line that was cut off.`,
		`${join(root, 'b/junk.jsonl')}: Not a transcript of Claude Code or Codex.`,
		'1 file is compressed: unpack it first.',
		'1 link was not followed.',
		'1 file of a sub-agent was passed over.',
	]) {
		expect(text).toContain(said);
	}
});

test('a line that is too long or too deep is left out, and its neighbours are not', async () => {
	const here = testContext();
	const deep = `{"type":"user","message":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
	const long = `{"type":"user","message":"${'x'.repeat(33 * 1024 * 1024)}"}`;
	const path = put(temporaryFolder(), `${sessionId}.jsonl`, `${deep}\n${long}\n${lines(...talk(here.folder))}`);
	expect(sessionsOf(await here.run('import', path))).toMatchObject([
		{remainder: ['Left out: 1 line that is nested too deeply, 1 line of more than 32 MB.']},
	]);
});

test('[8] credentials are masked in everything that is kept of it', async () => {
	const key = `sk-ant-api03-${'a1B2'.repeat(24)}`;
	const here = testContext();
	const path = put(
		temporaryFolder(),
		`${sessionId}.jsonl`,
		lines(
			asked(`Use ${key}`),
			answered([{type: 'tool_use', id: 't1', name: 'Bash', input: {command: `curl -H ${key}`}}], 'm1'),
			result('t1', `echo ${key}`),
			{type: 'aurora', text: key, sessionId},
			answered([{type: 'text', text: `It is ${key}`}], 'm2', {parentUuid: 'u3'}),
			{type: 'custom-title', customTitle: `Title ${key}`, sessionId},
		),
	);
	const found = await here.run('import', path);
	expect(JSON.stringify(found)).not.toContain('a1B2a1B2');
	const {path: journal} = await here.context.program.session.saved.find(sessionId);
	expect(readFileSync(journal, 'utf8')).toContain('Title ');
	expect(readFileSync(journal, 'utf8')).not.toContain('a1B2a1B2');
});

test('control sequences reach no screen', async () => {
	const here = testContext();
	const path = put(
		temporaryFolder(),
		`${sessionId}.jsonl`,
		lines(asked('\u001B[2J\u001B]0;x\u0007Hi\u202E', {version: '\u001B[2J'})),
	);
	expect(drawn(await here.run('import', path), 100)).not.toMatch(/[\u001B\u0007\u202E]/);
});

test('a second import finds the first, and --again makes another session', async () => {
	const here = testContext();
	const path = put(temporaryFolder(), `${sessionId}.jsonl`, lines(...talk(here.folder)));
	await here.run('import', path);
	const second = await here.run('import', path);
	expect(drawn(second, 100)).toContain('1 imported before');
	expect(sessionsOf(second)).toMatchObject([{id: sessionId, is_new: false}]);
	const [third] = sessionsOf(await here.run('import', path, '--again'));
	expect(third?.id).not.toBe(sessionId);
	expect(await here.context.program.session.saved.list(true)).toHaveLength(2);
});

test('a conversation that continued there since its import is told, with what imports it whole', async () => {
	const here = testContext();
	const all = talk(here.folder);
	const path = put(temporaryFolder(), `${sessionId}.jsonl`, lines(...all.slice(0, 1)));
	await here.run('import', path);
	put(join(path, '..'), `${sessionId}.jsonl`, lines(...all));
	const second = await here.run('import', path);
	expect(sessionsOf(second)).toMatchObject([{id: sessionId, is_new: false, new_messages: 2}]);
	expect(drawn(second, 200)).toContain(
		`5b1c0c7e has 2 more messages there now. Import it whole, as another session: /import ${path} --again`,
	);
	expect((await saved(here, sessionId)).records).toHaveLength(4);
	const [whole] = sessionsOf(await here.run('import', path, '--again'));
	expect(sessionsOf(await here.run('import', path))).toMatchObject([{id: sessionId, new_messages: 2}]);
	expect(whole).toMatchObject({is_new: true, new_messages: 0});
});

test('a document that is text is kept for the model, and any other one is called a document', async () => {
	const here = testContext();
	const document = (source: object) => ({type: 'document', title: 'notes.txt', source});
	const content = [
		document({type: 'text', media_type: 'text/plain', data: 'buy milk'}),
		document({type: 'base64', media_type: 'application/pdf', data: 'JVBERi0='}),
		{type: 'text', text: 'Read these'},
	];
	const line = {...asked('', {cwd: here.folder}), message: {role: 'user', content}};
	const path = put(
		temporaryFolder(),
		`${sessionId}.jsonl`,
		lines(line, answered([{type: 'text', text: 'Yes.'}], 'm1')),
	);
	expect(sessionsOf(await here.run('import', path))).toMatchObject([{remainder: ['Left out: 1 document.']}]);
	const {transcript} = await saved(here, sessionId);
	expect(JSON.stringify(toMessages(transcript))).toContain('buy milk');
});

test('without a path, the conversations of this folder are imported that both clients keep', async () => {
	const home = temporaryFolder();
	const here = testContext({env: {HOME: home}});
	put(home, `.claude/projects/-shop/${sessionId}.jsonl`, lines(...talk(here.folder)));
	put(home, `.codex/sessions/2026/03/01/rollout-2026-03-01-${other}.jsonl`, lines(...rollout('/elsewhere')));
	const found = await here.run('import');
	expect(sessionsOf(found)).toMatchObject([{id: sessionId}]);
	expect(drawn(found, 200)).toContain('1 of other folders');
});

test('a conversation of a folder that is not here continues in this one', async () => {
	const here = testContext();
	const path = put(temporaryFolder(), 'rollout-x.jsonl', lines(...rollout('/gone/shop')));
	await here.run('import', path);
	expect(await here.context.program.session.saved.list(false)).toMatchObject([{id: other, folder: here.folder}]);
});

test('a path without a transcript is an error that says so', async () => {
	const here = testContext();
	const junk = put(temporaryFolder(), 'junk.jsonl', '{}\n');
	await expect(here.run('import', '/nowhere')).rejects.toMatchObject({code: 'failed'});
	await expect(here.run('import', junk)).rejects.toMatchObject({
		message: `Nothing to import from ${junk}: Not a transcript of Claude Code or Codex.`,
	});
	await expect(here.run('import', temporaryFolder())).rejects.toMatchObject({code: 'not-found'});
	await expect(testContext({env: {HOME: temporaryFolder()}}).run('import')).rejects.toMatchObject({code: 'not-found'});
});

test('/resume looks at the latest files of other clients alone, and says what it did not read', async () => {
	const home = temporaryFolder();
	const here = testContext({env: {HOME: home}, answers: [undefined]});
	// A file where a folder is expected.
	put(join(home, '.claude/projects'), here.folder.replace(/[^a-zA-Z0-9]/g, '-'), 'no folder');
	const idAt = (index: number) => `7d9f3a52-1c7e-4f6e-9a55-${String(index).padStart(12, '0')}`;
	for (let index = 0; index < 320; index++) {
		const value = codex('session_meta', {id: idAt(index), cwd: index % 2 ? here.folder : '/elsewhere'});
		const day = String(1 + (index % 28)).padStart(2, '0');
		put(
			home,
			`.codex/sessions/2026/03/${day}/rollout-2026-03-${day}T00-00-00-${idAt(index)}.jsonl`,
			lines(value, spoke('user', `Talk ${index}`)),
		);
	}

	await here.run('resume');
	expect(here.said).toEqual(["1 file of other clients can't be read. Other clients have more: /import"]);
	expect(here.asked).toHaveLength(1);
	const {choices} = here.asked[0] as {choices: {label: string; detail: string}[]};
	expect(choices).toHaveLength(50);
	expect(choices.every(({detail}) => detail.startsWith('foreign, Codex'))).toBe(true);

	const {path = ''} = (await here.context.program.session.listForeign(AbortSignal.abort())).sessions[0] ?? {};
	expect(path).toBe('');
});
