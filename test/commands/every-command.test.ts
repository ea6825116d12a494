import {mkdirSync, writeFileSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {expect, test} from 'vitest';
import {commands} from '../../commands/index.ts';
import {fieldsOf, readArguments} from '../../src/command/arguments.ts';
import {takeGlobalFlags} from '../../src/command/global-flags.ts';
import {examplesOf} from '../../src/command/help.ts';
import type {StreamItem} from '../../src/command/result.ts';
import {allCommands} from '../../src/command/table.ts';
import {splitWords} from '../../src/command/words.ts';
import {reportError} from '../../src/core/error.ts';
import {printResult} from '../../src/headless/print.ts';
import {lineWidth} from '../../src/terminal/text/width.ts';
import {protectedServer} from '../agent/mcp/authorization-server.ts';
import {done, said, start, toRecords, used, user} from '../core/records.ts';
import {output} from '../headless/output.ts';
import {screenKeysIn} from '../screen-keys.ts';
import {temporaryFolder} from '../storage/temporary.ts';
import {openLog} from '../ui/log-parts.ts';
import {anyApi} from './any-api.ts';
import {dataOf, drawn, saveSession, testContext} from './context.ts';
import {withJobs} from './with-jobs.ts';

/** Results without text: the screen shows them by what it does. */
const silent = new Set(['clear', 'quit', 'resume', 'replay', 'logs show', 'logs hide']);

/** Commands that need something open in the app. */
const inApp = new Set([
	'init',
	'agent use',
	'config edit',
	'copy',
	'memory init',
	'memory edit',
	'context',
	'compact now',
	'compact undo',
	'pin add',
	'pin list',
	'pin remove',
	'approvals mode',
	'queue',
	'undo',
	'rewind',
	'fork',
	'connect',
	'new',
	'plan',
	'clear',
	'quit',
	'watch start',
	'watch stop',
	'logs list',
	'logs show',
	'logs hide',
	'logs close',
	'jobs list',
	'mcp log',
	'mcp reconnect',
	'jobs show',
	'jobs stop',
]);

/** Examples that a loopback server can't satisfy, with the tests that cover them. */
const elsewhere: Readonly<Record<string, string>> = {
	'connect -': 'connect.test.ts: it goes back to a server before this one',
	'trace artifact 4bf92f3577b34da6 a1b2 --download cat.png': 'trace-artifact.test.ts: it wants an artifact with bytes',
};

const fixtureAgent = resolve('test/agent/external/fixture-agent.mjs');

/** Commands that run until interrupted, create a database, or want a host, a run of the agent or an editor; other tests cover them. */
const serves = /^(?:serve|bg|acp|host|attach|detach|drive|handoff|agent mode)\b/;

/** The documented examples, without what a shell does with their output; those that read a file by `<` need the program. */
const all = allCommands(commands).filter(({path}) => !serves.test(path));
const examples = all.flatMap(({path, command}) =>
	examplesOf(path, command, false)
		.filter(example => !example.includes('<') && !elsewhere[example])
		.map(example => ({path, example: example.replace(/ +>.*$/, '')})),
);

/**
 * Runs an example as written, except for URLs and ids; with `inLines` in the app without a screen. Returns its result, whether
 * it depends on the server's answers, and what it said and asked.
 */
async function runExample(path: string, example: string, seed: number, inLines = false) {
	const {origin, seen} = await anyApi(seed);
	const env = {SERVICE_API_KEY: 'key-0123456789abcd', SERVICE_SERVER: origin, SERVICE_WORKSPACE: 'lab'};
	const home = temporaryFolder();
	const scope = {...env, HOME: home, SERVICE_ORG: 'acme', SERVICE_PROJECT: 'parser'};
	const here = testContext({env: scope});
	const transcripts = ['.claude/projects/-shop', '.codex/sessions/2026/03'].map(name => join(home, name));
	for (const folder of path === 'import' ? transcripts : []) {
		const said = {type: 'user', sessionId: 's', cwd: here.folder, message: {role: 'user', content: 'Read it'}};
		mkdirSync(folder, {recursive: true});
		writeFileSync(join(folder, 'talk.jsonl'), JSON.stringify(said));
	}

	const id = await saveSession(here, [start, user('Read it'), said('I did.'), used('m1', 1000, 10), done]);
	for (const name of ['spans.json', 'a.pb', 'b.pb']) {
		writeFileSync(join(here.folder, name), JSON.stringify({resourceSpans: [{scopeSpans: [{spans: [{}]}]}]}));
	}

	for (const profile of path === 'logout' || path.startsWith('profile') ? ['lab', 'agents.example.com'] : []) {
		await testContext({like: here, flags: {server: origin, profile}}).run('login', 'key-0123456789abcd');
	}

	if (path === 'approvals revoke') {
		await here.run('approvals', 'allow', 'run_command(npm test *)');
	}

	const protectedBy = /^mcp log(?:in|out)$/.test(path) ? await protectedServer() : undefined;
	const withBrowser = protectedBy && {
		env: {DISPLAY: ':none', PATH: '/nowhere'},
		onLogin: ({page}: {readonly page: string}) => void protectedBy.browse(page),
	};
	if (withBrowser) {
		await here.run('mcp', 'add', '--no-connect', 'docs', protectedBy.url);
		await (path === 'mcp logout' && testContext({like: here, ...withBrowser}).run('mcp', 'login', 'docs'));
	}

	if (/^mcp (?:get|remove|log|reconnect)$/.test(path)) {
		await here.run('mcp', 'add', '--no-connect', 'docs', 'http://127.0.0.1:9/mcp');
	}

	if (/^agent (?:use|check|remove)$/.test(path)) {
		await here.run('agent', 'add', 'qwen', '--', process.execPath, fixtureAgent);
	}

	if (path === 'keys remove') {
		await here.run('keys', 'set', 'openai', 'sk-0123456789abcd');
	}

	const words = splitWords(example).map(word =>
		/^(?:https?:\/\/)?(?:agents\.example\.com|127\.0\.0\.1:8700)$/.test(word) && !path.startsWith('profile')
			? origin
			: word.replace(/^3f2a$/, id),
	);
	const {flags, rest} = takeGlobalFlags(words);
	const given = Object.fromEntries(Object.entries(flags).filter(([, value]) => value));
	const login = path === 'login' ? ['key-0123456789abcd'] : [];
	const answers = path === 'resume' ? [id] : path === 'mfa verify' ? ['123456', undefined] : ['sk-0123456789abcd'];
	const jobs = path.startsWith('jobs ') ? await withJobs('printf "\\033[2Jdone\\n"; sleep 60') : undefined;
	const place = testContext({
		...(jobs && {jobs}),
		like: here,
		env: path === 'logout' ? {} : scope,
		flags: given,
		answers,
		...withBrowser,
	});
	if (path.startsWith('logs ')) {
		place.store.getState().addLog(openLog({title: 'web-shop'}));
	}

	if (path === 'copy') {
		const {applyRecords, transcript} = place.store.getState();
		const code = '```sh\nls\n```\n\n```ts\nlet a;\n```';
		applyRecords(
			toRecords([start, user('Read it'), said(code)]).map(record => ({...record, session: transcript.session})),
		);
	}

	if (path === 'effort') {
		place.store.getState().setModel('openai/o3');
	}

	if (inLines) {
		place.store.setState({isLineByLine: true});
	}

	const result = await (inApp.has(path) || inLines ? place.runInApp(...rest, ...login) : place.run(...rest, ...login));
	return {
		result,
		hasAnswers: seen.length > 0,
		told: [...place.said, ...place.asked.map(asked => JSON.stringify(asked))],
	};
}

/** Reads the beginning of a stream, each line of which is JSON. The server's answers may never end. */
async function readSome(batches: AsyncIterable<readonly StreamItem[]>): Promise<void> {
	let read = 0;
	for await (const batch of batches) {
		for (const {text, data} of batch) {
			expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(data)));
		}

		read++;
		if (read === 3) {
			break;
		}
	}
}

test('every command has an example that this test runs', () => {
	const run = new Set(examples.map(({path}) => path));
	expect(all.filter(({path}) => !run.has(path))).toEqual([]);
});

test.each(examples)(
	'“$example” fits 80 and 120 columns for any response, and prints JSON [1]',
	async ({path, example}) => {
		for (const seed of [1, 2]) {
			const {result, hasAnswers} = await runExample(path, example, seed);
			if (result.kind === 'stream') {
				await readSome(result.batches);
				continue;
			}

			for (const width of [80, 120]) {
				const lines = drawn(result, width).split('\n');
				expect(lines.filter(line => lineWidth(line) > width)).toEqual([]);
				expect(lines.filter(line => /[\p{Cc}\u202E]/u.test(line))).toEqual([]);
				expect(lines.join('').trim() === '').toBe(silent.has(path));
			}

			const out = output();
			printResult(result, out, {json: true, env: {}});
			const records = result.kind === 'lines' ? result.records : undefined;
			const data = records ?? dataOf(result);
			const printed = records ? `[${out.text().trimEnd().replaceAll('\n', ',')}]` : out.text();
			expect(JSON.parse(printed)).toEqual(
				JSON.parse(JSON.stringify(data ?? (result.kind === 'text' ? {message: result.text} : null))),
			);
			if (!hasAnswers) {
				break;
			}
		}
	},
);

test.each(
	examples.filter(({path}) => allCommands(commands).find(each => each.path === path)?.command.where !== 'shell'),
)('“$example” names no key of the screen where the app runs line by line', async ({path, example}) => {
	// Some fail in the app, which has no transcript or login then: an error is an answer, too.
	const texts = await runExample(path, example, 1, true).then(
		({result, told}) => [drawn(result, 120), ...told],
		(error: unknown) => [JSON.stringify(reportError(error))],
	);
	expect(screenKeysIn(texts.join('\n'))).toEqual([]);
});

/** Every word that may be left out, with how many stand before it. */
const optional = allCommands(commands).flatMap(({path, command}) =>
	(command.positional ?? []).flatMap((name, before) =>
		fieldsOf(command.args).some(field => field.name === name && !field.required && !field.multiple)
			? [{path, command, name, before}]
			: [],
	),
);

test.each(optional)('$path refuses an empty <$name>, which isn’t one left out', ({path, command, before}) => {
	const words = [...Array.from({length: before}, () => 'x'), ''];
	const refusal = {code: 'usage', message: expect.stringMatching(/^<[\w-]+> is empty\.$/)};
	expect(() => readArguments(path, command, words)).toThrow(expect.objectContaining(refusal));
});
