import {join} from 'node:path';
import {PassThrough} from 'node:stream';
import {expect, test} from 'vitest';
import {readInvocation} from '../../src/command/invocation.ts';
import {runHeadless} from '../../src/headless/headless.ts';
import {compose} from '../../src/program/program.ts';
import {createAppStore} from '../../src/store/store.ts';
import {write} from '../agent/project/repository.ts';
import {startModelHost} from '../e2e/model-host.ts';
import {temporaryFolder} from '../storage/temporary.ts';
import {output} from './output.ts';

/** Runs `-p` with the real program. Returns its exit status, what it printed as an error, and the messages of its request. */
async function run(args: readonly string[], piped?: string) {
	const host = await startModelHost();
	const home = temporaryFolder();
	write(join(home, 'state'), {'prompts/review.md': 'Review $1 with a focus on $2.', 'prompts/usage.md': 'Use it'});
	const folder = join(home, 'work');
	write(folder, {'.git/HEAD': 'ref: refs/heads/main\n', '.service/prompts/ship.md': 'Ship it: $ARGUMENTS'});
	const store = createAppStore();
	const invocation = readInvocation(args);
	if (invocation.mode !== 'once') {
		throw new Error('This is no single run.');
	}

	const stdin = Object.assign(new PassThrough(), {isTTY: piped === undefined});
	stdin.end(piped ?? '');
	const [stdout, stderr] = [output(), output()];
	const status = await runHeadless(invocation, {
		...{store, stdin, stdout, stderr, signal: new AbortController().signal},
		compose: async options =>
			compose({
				...options,
				...{store, folder, model: 'custom/alpha', version: '0.0.0'},
				env: {
					...{SERVICE_HOME: join(home, 'state'), HOME: home, PATH: process.env['PATH'] ?? '', SERVICE_KEYCHAIN: 'off'},
					...{CUSTOM_BASE_URL: host.baseUrl, CUSTOM_API_KEY: 'sk-0123456789-wxyz', NO_PROXY: '127.0.0.1'},
				},
				workerUrl: new URL('../../dist/server-worker.js', import.meta.url),
			}),
	});
	return {status, stderr: stderr.text(), asked: host.chats().map(messages => messages.at(-1))};
}

test('-p sends the text of the prompt file that a slash names, and what is piped behind it', async () => {
	const quoted = await run(['-p', `/review a.ts "it's late"`]);
	expect(quoted).toMatchObject({status: 0, asked: ["user: Review a.ts with a focus on it's late."]});
	const piped = await run(['-p', '/review b.ts speed'], 'the diff\n');
	expect(piped.asked).toEqual(['user: Review b.ts with a focus on speed.\n\nthe diff']);
	expect((await run(['-p', '/usr/bin is full'])).asked).toEqual(['user: /usr/bin is full']);
});

test.each([
	['behind --', ['-p', '--', '/review a.ts b'], undefined, '/review a.ts b'],
	['piped in', ['-p'], '/tmp is full, what now?\n', '/tmp is full, what now?'],
	['piped in, with the name of a prompt file', ['-p'], '/review c.ts size\n', '/review c.ts size'],
	['piped in beside a dash', ['-p', '-'], '!important\n', '!important'],
	['piped in behind a prompt', ['-p', 'Fix:'], '/usage\n', 'Fix:\n\n/usage'],
])('text %s is never a command', async (_name, args, piped, expected) => {
	expect(await run(args, piped)).toMatchObject({status: 0, asked: [`user: ${expected}`]});
});

test('what is piped in beside a prompt mentions nothing, and a piped prompt mentions as any does', async () => {
	const warned = async (args: readonly string[], piped?: string) =>
		(await run(args, piped)).stderr.match(/@\S+ was not found/g) ?? [];
	expect(await warned(['-p', 'Review @a.md'], '+@app.route("/x.md") @types/node')).toEqual(['@a.md was not found']);
	expect(await warned(['-p'], 'Review @b.md')).toEqual(['@b.md was not found']);
});

test('-p uses a prompt file of the project only if the flag trusts it [12]', async () => {
	const refused = await run(['-p', '/ship now']);
	expect([refused.status, refused.asked]).toEqual([2, []]);
	expect(refused.stderr).toMatch(/left out: \.service\/prompts\/ship\.md.*Unknown command “ship”/s);
	expect((await run(['-p', '/ship now', '--trust'])).asked).toEqual(['user: Ship it: now']);
});

test.each([
	['/usage', /\/usage is a command, not a prompt\.\n {2}Run .*usage show without -p\.\n$/],
	['/clear', /\/clear is a command, not a prompt\.\n {2}Start the app with .*, then type \/clear\.\n$/],
	['/tmp is full, what now?', /Unknown command “tmp”\..*\n.*To send it as it is, put -- before it: .* -p -- "\/…"\n$/],
	[
		'/revieww a.ts',
		/Unknown command “revieww”\.\n {2}Did you mean “\/review”\? To send it as it is, put -- before it: .* -p -- "\/…"\n$/,
	],
])('-p sends no model the command %s, and names the way', async (prompt, expected) => {
	const {status, stderr, asked} = await run(['-p', prompt]);
	expect([status, asked]).toEqual([2, []]);
	expect(stderr).toMatch(expected);
});
