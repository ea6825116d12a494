import {existsSync, readFileSync, writeFileSync} from 'node:fs';
import {describe, expect, test} from 'vitest';
import {createReadFile} from '../../../../src/agent/tools/read-file.ts';
import type {StyledText} from '../../../../src/core/output/text-styles.ts';
import type {ToolContext} from '../../../../src/core/session/tool.ts';
import {hasBubblewrap, skipped} from '../../sandbox/needs-bubblewrap.ts';
import {git} from '../workspace.ts';
import {openCommands} from './open-commands.ts';

test('joins both outputs in order, and says how the command ended', async () => {
	const {run, asked} = await openCommands();
	expect(await run('echo one; echo two >&2; echo three')).toMatch(
		/^one\ntwo\nthree\n\[exit status 0 after [\d.]+ m?s\]$/,
	);
	expect(asked.map(({act}) => act.kind)).toEqual(['command']);
});

test('rows that a command drew over are in the result in their last state only, however many there were', async () => {
	const {run} = await openCommands();
	expect(await run(String.raw`printf 'a 1\nb 1\n\033[2Aa 2\nb 2\n'`)).toMatch(/^a 2\nb 2\n\[exit status 0/);
	const frames = String.raw`for i in $(seq 5000); do printf "\033[2A\033[Kweb $i\n\033[Kdb $i\n"; done`;
	expect(await run(`echo start; echo; echo; ${frames}`)).toMatch(/^start\nweb 5000\ndb 5000\n\[exit status 0/);
});

test('a command that fails is a failed result with its output and status', async () => {
	const {run} = await openCommands();
	expect(await run('echo broken; exit 3')).toMatch(/^broken\n\[exit status 3 after /);
	expect(await run('kill -SEGV $$')).toMatch(/^\(no output\)\n\[exit status 139 \(SIGSEGV\)|signal SIGSEGV/);
});

test.each([
	['sleep 60 & echo started', true],
	['(sleep 60 &); if true; then nohup sleep 60 >/dev/null & fi; echo started', true],
	['sleep 60 & echo started >&2; false', true],
	['sleep 0.1 & wait; echo started', false],
	['echo "a & b" 2>&1 && echo started', false],
])('the model reads that what %j leaves running has ended: %s', async (command, isTold) => {
	const {run} = await openCommands();
	const lines = (await run(command)).split('\n');
	expect(lines).toContain('started');
	const note = '[What it started with & has ended with it; set background to keep a program running.]';
	expect(lines.filter(line => line.startsWith('[')).slice(1)).toEqual(isTold ? [note] : []);
});

test('[4] nothing runs without approval, and the model reads the reason', async () => {
	const {run, path} = await openCommands({answer: () => ({allowed: false, reason: 'not now'})});
	expect(await run('touch x; echo ran')).toBe(
		'The user did not allow this command. It did not run. They said: not now',
	);
	expect(existsSync(path('x'))).toBe(false);
});

test('[4] the command that the user edited runs instead, and the model is told', async () => {
	const {run} = await openCommands({answer: () => ({allowed: true, command: 'echo edited'})});
	expect(await run('echo mine')).toMatch(/^\[The user changed the command to: echo edited\]\nedited\n\[exit status 0/);
});

test.each([
	['a\0b', "A command can't contain a NUL character."],
	[`echo ${'é'.repeat(70_000)}`, 'The command is too long.'],
])('%j is refused before anybody is asked', async (command, message) => {
	const {run, asked} = await openCommands();
	expect(await run(command)).toContain(message);
	expect(asked).toEqual([]);
});

test('[14] git starts no program for a command that runs only because it reads', async () => {
	for (const readOnly of [true, false]) {
		const {run, workspace, path} = await openCommands({
			hasSandbox: false,
			answer: () => ({allowed: true, ...(readOnly && {readOnly})}),
		});
		git(workspace, 'init', '-q');
		// As if it appeared after the command was judged.
		git(workspace, 'config', 'core.fsmonitor', 'touch started; false');
		expect(await run('git status --short')).toContain('exit status 0');
		expect(existsSync(path('started'))).toBe(!readOnly);
	}
});

test('[8] credentials in the output reach neither the model nor the screen, even in pieces', async () => {
	const {run, shown} = await openCommands();
	const result = await run('printf "key sk-ant-0123456789"; sleep 0.3; echo abcdefghij');
	const all = result + shown.join('');
	expect(result).toContain('key ***');
	expect(all).not.toContain('0123456789abc');
});

test('[8] values of .env are for programs, not for the model', async () => {
	const env =
		'NODE_ENV=development\nDB_PASSWORD="correct horse battery"\nDATABASE_URL=postgres://u:hunter2hunter2@db/x\nPIN_KEY=12\n';
	const {run, shown} = await openCommands({files: {'.env': env}});
	const result = await run('cat .env; . ./.env; echo "$DB_PASSWORD" | wc -c');
	expect(result).toMatch(
		/^NODE_ENV=development\nDB_PASSWORD="\*\*\*"\nDATABASE_URL=postgres:\/\/u:\*\*\*@db\/x\nPIN_KEY=12\n22\n\[exit/,
	);
	expect(shown.join('')).not.toMatch(/correct|hunter2/);
});

test('a long output is in a file that read_file reads, until the session ends', async () => {
	const {run, session, places, context} = await openCommands();
	const result = await run('seq 100000; exit 1');
	const [, file = ''] = /All of it: (\S+) \(use read_file/.exec(result) ?? [];
	const readFile = createReadFile(places, session.outputFiles);
	expect(await readFile.run({path: file, offset: 50_000, limit: 1}, context)).toBe('50000\t50000');
	await expect(readFile.run({path: `${file}/../../tmp`}, context)).rejects.toThrow('outside the working folder');
	await expect(createReadFile(places).run({path: file}, context)).rejects.toThrow('outside the working folder');
	await session.end();
	expect(existsSync(file)).toBe(false);
	await expect(readFile.run({path: file}, context)).rejects.toThrow();
});

test('[15] a command of the agent is told to use no colours, and those that it uses are for the screen alone', async () => {
	const {run, context} = await openCommands();
	const styled: StyledText[] = [];
	const given = {...context, onStyles: (output: StyledText) => styled.push(output)};
	const result = await run('echo "$TERM $NO_COLOR [$FORCE_COLOR]"; printf "a \\033[32mgreen\\033[0m"', {}, given);
	expect(result).toMatch(/^dumb 1 \[\]\na green\n\[exit status 0/);
	expect(styled).toEqual([{text: 'dumb 1 []\na green', styles: [{start: 12, end: 17, codes: '32'}]}]);
});

test('[8] the file with a long output has no credentials and no escape sequences, wherever sequences interrupt them', async () => {
	const {run, session, places, context} = await openCommands({files: {'.env': 'DB_PASSWORD=correct-horse-battery\n'}});
	const secrets = [
		...['ghp_0123\\033[31m456789abcdef\\033[0mghijABCDEFGHIJ012345', 'correct\\033[1m-horse-\\033]0;t\\007battery'],
		...['-----BEGIN RSA PRIVATE KEY-----\\n\\033[32mMIIEpAIBAAKCAQEA0123456789', 'MIIEpAIBAAKCAQEB0123456789'],
		'-----END RSA PRIVATE KEY-----',
	];
	const shown = secrets.map(secret => `printf -- '${secret}\\n'; sleep 0.1`).join('; ');
	const result = await run(`seq 20000; ${shown}; seq 20000; printf 'last \\033[32mline'; exit 1`);
	const [, file = ''] = /All of it: (\S+) \(use read_file/.exec(result) ?? [];
	const lines = readFileSync(file, 'utf8').split('\n');
	expect(lines).toHaveLength(40_007);
	expect(lines.slice(19_999, 20_007)).toEqual([
		...['20000', '***', '***', '-----BEGIN RSA PRIVATE KEY-----', '***', '***', '-----END RSA PRIVATE KEY-----', '1'],
	]);
	expect(lines.slice(-2)).toEqual(['20000', 'last line']);
	expect(
		await createReadFile(places, session.outputFiles).run({path: file, offset: 20_001, limit: 2}, context),
	).toContain('20001\t***\n20002\t***');
});

test('each call starts in the working folder with no state of the call before', async () => {
	const {run, workspace} = await openCommands({answer: () => ({allowed: true})});
	await run('cd /; export X=1');
	expect(await run('pwd; echo "[$X]"')).toMatch(new RegExp(`^${workspace}\n\\[\\]\n`));
});

test('without a sandbox, the question says so and how to get one', async () => {
	const {run, asked, notices} = await openCommands({hasSandbox: false});
	await run('true');
	expect(asked[0]?.act).toMatchObject({containment: 'none'});
	expect(asked[0]?.facts).toContainEqual(['Not contained', "bubblewrap isn't installed (apt install bubblewrap)."]);
	expect(notices).toEqual([]);
});

describe.skipIf(!hasBubblewrap)(`with a sandbox${skipped}`, () => {
	test('the first command of a session says what holds, and no other', async () => {
		const {run, notices, asked} = await openCommands({answer: () => ({allowed: true})});
		await run('true');
		await run('true');
		expect(notices).toEqual(['Commands run in a sandbox: no network, and they write only in this folder.']);
		expect(asked.map(({facts}) => facts?.at(-1))).toEqual([
			['Sandbox', 'no network, writes only in this folder'],
			['Sandbox', 'no network, writes only in this folder'],
		]);
	});

	test.each([
		[
			'network',
			'getent hosts example.com || { echo "Could not resolve host: example.com"; exit 6; }',
			'it has no network',
		],
		['none', 'echo x > ../planted.txt', 'only the working folder and /tmp are writable'],
	])('a command that lacks %s is offered to run again with it, once', async (containment, command, why) => {
		const {run, asked, root} = await openCommands({
			answer: ({act}) => ({allowed: act.kind === 'command' && act.containment === 'sandbox'}),
		});
		// In /tmp itself the folders around the working folder would be private.
		expect(await run(containment === 'none' ? 'touch /usr/planted' : command)).toContain(
			`[The sandbox: ${why}. Running it again with more was not allowed.]`,
		);
		expect(asked.map(({act}) => act.kind === 'command' && act.containment)).toEqual(['sandbox', containment]);
		expect(asked[1]?.facts).toContainEqual(['Failed in the sandbox', why]);
		expect(existsSync(`${root}/planted.txt`)).toBe(false);
	});

	test('a file that the sandbox hides is offered to be read outside', async () => {
		const {run, asked, root} = await openCommands({
			answer: ({act}) => ({allowed: act.kind === 'command' && act.containment === 'sandbox'}),
		});
		// All of /tmp but the working folder is hidden.
		expect(await run(`cat ${root}/outside.txt`)).toContain('[The sandbox: it hides your home folder and other');
		expect(asked.map(({act}) => act.kind === 'command' && act.containment)).toEqual(['sandbox', 'none']);
	});

	test('allowed, it runs again outside and the model is told', async () => {
		const {run, home} = await openCommands({answer: () => ({allowed: true})});
		const result = await run(`echo x > ${home}/made`);
		expect(result).toMatch(
			/^\[It failed in the sandbox .+, so it ran again outside the sandbox\.\]\n\(no output\)\n\[exit status 0/,
		);
		expect(existsSync(`${home}/made`)).toBe(true);
	});
});

describe('jobs', () => {
	const options = {answer: () => ({allowed: true})} as const;

	test('a job is read in pieces, waited for and stopped', async () => {
		const {run, output, stop, path} = await openCommands(options);
		expect(await run('echo one; until [ -e go ]; do sleep 0.05; done; echo two; sleep 60', {background: true})).toBe(
			'Started as job 1. Read it with job_output, end it with job_stop.',
		);
		await expect.poll(() => output('1')).toMatch(/^one\n\[job 1: running for /);
		expect(await output('job 1')).toMatch(/^\(no new output\)\n\[job 1: running/);
		await run(`touch ${path('go')}`);
		await expect.poll(() => output('1')).toMatch(/^two\n\[job 1: running/);
		expect(await stop('1')).toMatch(/^\(no new output\)\n\[job 1: stopped after /);
		expect(await output('1')).toMatch(/\[job 1: stopped after /);
		expect(await output('7')).toBe('Job not found: “7”.');
	});

	test('a wait ends with the job, and the next result tells of jobs that ended', async () => {
		const {run, output, session} = await openCommands(options);
		await run('exit 4', {background: true});
		expect(await output('1', {wait_sec: 60})).toMatch(/\[job 1: exit status 4 after /);
		await run('echo again', {background: true});
		await session.jobs.find('2').done;
		expect(await run('true')).toMatch(/^\[job 2: exit status 0 after .+\. Read it with job_output\.\]\n\(no output\)/);
		expect(await run('true')).toMatch(/^\(no output\)/);
	});

	test('at most 16 jobs run', async () => {
		const {run} = await openCommands({...options, hasSandbox: false});
		const results = [];
		for (let count = 0; count < 17; count++) {
			results.push(await run('sleep 60', {background: true}));
		}

		expect(results.slice(15)).toEqual([expect.stringContaining('job 16'), '16 jobs are running already.']);
	});

	/** A command that waits for a file, and says by which process it runs. */
	const waiting = 'echo $$; until [ -e go ]; do sleep 0.05; done; echo $$; exit 5';

	test('a running command that is sent to the background goes on as a job; what ended its call ends it no more', async () => {
		const {run, output, session, context, shown, asked, path} = await openCommands(options);
		const abort = new AbortController();
		const started: string[] = [];
		const onJob: ToolContext['onJob'] = ({id}) => started.push(id);
		const call = run(waiting, {timeout_sec: 1}, {...context, onJob, signal: abort.signal});
		await expect.poll(() => shown.join('')).toMatch(/^\d+\n$/);
		session.foreground.moveToBackground();
		expect(started).toEqual(['1']);
		const [process] = shown;
		expect(await call).toBe(
			`${process}[The user sent it to the background.] Started as job 1. Read it with job_output, end it with job_stop.`,
		);
		abort.abort();
		// Its time limit is over by then.
		expect(await output('1', {wait_sec: 2})).toMatch(/^\(no new output\)\n\[job 1: running for /);
		const job = session.jobs.find('1');
		expect(`${job.lastOutput().text}\n`).toBe(process);
		writeFileSync(path('go'), '');
		await job.done;
		expect(await run('true')).toMatch(/^\[job 1: exit status 5 after .+\. Read it with job_output\.\]/);
		expect(await output('1')).toMatch(new RegExp(`^${process}\\[job 1: exit status 5 after `));
		expect([asked.length, shown]).toEqual([2, [process]]);
	});

	test('a command that is being ended stays in the foreground, and so does one for which there is no room', async () => {
		const {run, session, context, shown, path} = await openCommands({...options, hasSandbox: false});
		const abort = new AbortController();
		const ending = run("trap 'echo ended' TERM; echo up; sleep 60 & wait", {}, {...context, signal: abort.signal});
		await expect.poll(() => shown.join('')).toContain('up');
		abort.abort();
		session.foreground.moveToBackground();
		await ending;
		expect(session.jobs.list()).toEqual([]);
		for (let count = 0; count < 16; count++) {
			await run('sleep 60', {background: true});
		}

		shown.length = 0;
		const call = run(waiting);
		await expect.poll(() => shown.join('')).toMatch(/^\d+\n$/);
		expect(session.foreground.moveToBackground).toThrow('16 jobs are running already.');
		writeFileSync(path('go'), '');
		expect(await call).toMatch(/^(\d+)\n\1\n\[exit status 5 after /);
	});
});
