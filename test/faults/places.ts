import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {chmodSync, chownSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {text} from 'node:stream/consumers';
import {buildOnce} from '../build-once.ts';
import {connectedTo} from '../e2e/chat.ts';
import {runInProcess} from '../e2e/in-process.ts';
import {startModelHost} from '../e2e/model-host.ts';
import {environmentOf, folderWith, program} from '../e2e/program.ts';
import {createRandom, createTally, eachOf, type Fault, needs} from './fault.ts';

const answer = 'Hello from the host.';

type Ended = {readonly status: number; readonly stdout: string; readonly stderr: string};

/** Runs a command without standard input, to its end. */
async function run(
	file: string,
	args: readonly string[],
	env: Record<string, string>,
	folder = folderWith(),
): Promise<Ended> {
	const child = spawn(file, args, {env, cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], timeout: 300_000});
	const [stdout, stderr, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
	return {status, stdout, stderr};
}

/** Throws unless a run answered, or said why not in a sentence; and unless it said that it wasn't saved. */
function expectAnswer({status, stdout, stderr}: Ended, home: string): void {
	const said = `${status} ${stdout} ${stderr}`;
	if (/inside service|^ {4}at /m.test(said)) {
		throw new Error(`a fault of ours: ${said}`);
	}

	if (status !== 0 && !/^service: [A-Z“/][^\n]+[.?]$/m.test(stderr)) {
		throw new Error(`no sentence: ${said}`);
	}

	if (status === 0 && !stdout.includes(answer)) {
		throw new Error(`no answer: ${said}`);
	}

	if (status === 0 && !textsBelow(join(home, 'sessions')).includes(answer) && !/not saved|wasn't saved/i.test(stderr)) {
		throw new Error(`not saved, and not said: ${said}`);
	}
}

/** Returns all texts of a folder as one; nothing for what can't be read. */
function textsBelow(folder: string): string {
	try {
		return readdirSync(folder, {recursive: true, withFileTypes: true})
			.filter(entry => entry.isFile() && entry.name.endsWith('.jsonl'))
			.map(({parentPath, name}) => readFileSync(join(parentPath, name), 'utf8'))
			.join('');
	} catch {
		return '';
	}
}

/** Only root can give a folder away. */
const ofAnotherUser = {
	name: 'of another user',
	make(home: string) {
		mkdirSync(home);
		chownSync(home, 12_345, 12_345);
	},
};

/** State folders that aren't as they should be: each is made in a folder, and may need mounts. */
const homes: ReadonlyArray<{
	readonly name: string;
	readonly make: (home: string) => void;
	readonly mounts?: (home: string) => readonly string[];
}> = [
	{name: 'missing, with its parents', make: () => undefined},
	{
		name: 'open to all',
		make: home => {
			mkdirSync(home);
			chmodSync(home, 0o777);
		},
	},
	{name: 'a file', make: home => writeFileSync(home, 'text')},
	{
		name: 'a link',
		make: home => {
			mkdirSync(`${home}-real`);
			symlinkSync(`${home}-real`, home);
		},
	},
	...(process.getuid?.() === 0 ? [ofAnotherUser] : []),
	{
		name: 'with a file in place of sessions',
		make: home => {
			mkdirSync(home);
			writeFileSync(join(home, 'sessions'), '');
		},
	},
	{name: 'with a folder in place of settings', make: home => mkdirSync(join(home, 'config.json'), {recursive: true})},
	{
		name: 'with settings that are no JSON',
		make: home => {
			mkdirSync(home);
			writeFileSync(join(home, 'config.json'), '{"a');
		},
	},
	{
		name: 'with an empty file of settings',
		make: home => {
			mkdirSync(home);
			writeFileSync(join(home, 'config.json'), '');
		},
	},
	{
		name: 'with settings full of zeros',
		make: home => {
			mkdirSync(home);
			writeFileSync(join(home, 'config.json'), Buffer.alloc(4096));
		},
	},
	{name: 'read-only', make: home => mkdirSync(home), mounts: home => ['--ro-bind', home, home]},
	...[4096, 16_384, 65_536].map(bytes => ({
		name: `on a disk of ${bytes} bytes`,
		make: (home: string) => mkdirSync(home),
		mounts: (home: string) => ['--size', String(bytes), '--tmpfs', home],
	})),
];

const badHomes: Fault = {
	name: 'a state folder that is missing, read-only, full, damaged, a link or another user’s: an answer or a sentence, and “not saved”',
	rules: [10, 19],
	amounts: {test: 4, full: 56},
	lacks: needs(['bwrap', '--dev-bind', '/', '/', '--size', '4096', '--tmpfs', '/mnt', 'true']),
	async run({seed, amount}) {
		const tally = createTally();
		const random = createRandom(seed);
		const {env, args} = connectedTo(await startModelHost());
		const offset = random.below(homes.length);
		await eachOf([...Array(amount).keys()], 2, async index => {
			const {name, make, mounts} = homes[(offset + index) % homes.length] ?? random.pick(homes);
			await tally.attempt(name, async () => {
				const home = join(folderWith(), 'home');
				make(home);
				const words = [program, ...args, '-p', 'Say it.'];
				const place = environmentOf({home, env});
				const ended = mounts
					? await run('bwrap', ['--dev-bind', '/', '/', ...mounts(home), process.execPath, ...words], place)
					: await run(process.execPath, words, place);
				// What is in the sandbox's own file system can't be seen from here.
				expectAnswer(
					mounts && /tmpfs/.test(mounts(home).join()) ? {...ended, stderr: `${ended.stderr}not saved`} : ended,
					home,
				);
			});
		});
		return tally.figure();
	},
};

const failingDisk: Fault = {
	name: 'a disk that fails from some call on, below the whole program: an answer or a sentence, and “not saved”',
	rules: [19],
	amounts: {test: 4, full: 200},
	async run({seed, amount}) {
		const tally = createTally();
		const random = createRandom(seed);
		const {env, args} = connectedTo(await startModelHost());
		const failing = await buildOnce('failing-program', new URL('failing-program.ts', import.meta.url));
		const turns = Array.from({length: amount}, () => ({
			call: random.pick(['open', 'write', 'sync', 'rename', 'unlink', 'mkdir']),
			error: random.pick(['EIO', 'ENOSPC', 'EDQUOT', 'EBUSY', 'EROFS', 'EACCES', 'EMFILE']),
			at: 1 + random.below(10),
			times: random.pick([1, 3, 1e9]),
			isHalf: random.below(2) === 0,
		}));
		await eachOf(turns, 2, async turn => {
			await tally.attempt(JSON.stringify(turn), async () => {
				const home = join(folderWith(), 'home');
				const place = environmentOf({home, env: {...env, FAILING_CALLS: JSON.stringify({...turn, below: home})}});
				const words = ['--import', failing, program, ...args, '-p', 'Say it.'];
				expectAnswer(await run(process.execPath, words, place), home);
			});
		});
		return tally.figure();
	},
};

const seenPrompts: Fault = {
	name: 'kill -9 at the moment a model’s host has a prompt, or the result of a call, on a slow disk: it is in the session',
	rules: [17],
	amounts: {test: 3, full: 200},
	async run({seed, amount}) {
		const tally = createTally();
		const random = createRandom(seed);
		const failing = await buildOnce('failing-program', new URL('failing-program.ts', import.meta.url));
		for (let turn = 0; turn < amount; turn += 1) {
			const call = random.pick(['write', 'sync', 'open']);
			const isResult = random.below(2) === 0;
			await tally.attempt(`turn ${turn}, slow ${call}, ${isResult ? 'a result' : 'a prompt'}`, async () => {
				const host = await startModelHost();
				const {env, args} = connectedTo(host);
				const home = join(folderWith(), 'home');
				const slow = {below: home, call, error: 'slow', at: 1, times: 1e9, isHalf: false};
				const words = ['--import', failing, program, ...args, '-p', `Prompt ${turn}.`];
				const child = spawn(process.execPath, words, {
					env: environmentOf({home, env: {...env, FAILING_CALLS: JSON.stringify(slow)}}),
					cwd: folderWith({'note.txt': `Result ${turn}.`}),
					stdio: 'ignore',
				});
				const kill = () => void child.kill('SIGKILL');
				host.answerWith(({call: ask, finish}) => {
					if (isResult) {
						ask('read_file', {path: 'note.txt'});
						finish('tool_calls');
					} else {
						kill();
					}
				}, kill);
				const [, signal] = await once(child, 'exit');
				const saved = textsBelow(join(home, 'sessions'));
				const seen = [`Prompt ${turn}.`, ...(isResult ? [`Result ${turn}.`] : [])];
				const lost = seen.filter(text => !saved.includes(text));
				if (signal !== 'SIGKILL' || lost.length > 0) {
					throw new Error(`ended with ${signal}, lost ${lost.join(', ')}`);
				}
			});
		}

		return tally.figure();
	},
};

const twoPrograms: Fault = {
	name: 'two programs continue one session at once: the second is told, and the file stays whole',
	rules: [17],
	amounts: {test: 1, full: 40},
	async run({amount}) {
		const tally = createTally();
		const home = folderWith();
		const folder = folderWith();
		const host = await startModelHost();
		const {env, args} = connectedTo(host);
		const place = {home, folder, env};
		const first = await runInProcess([...args, '-p', 'Begin.', '--output-format', 'json'], place);
		const {session_id: id} = JSON.parse(first.stdout);
		for (let turn = 0; turn < amount; turn += 1) {
			await tally.attempt(`turn ${turn}`, async () => {
				let second: Ended | undefined;
				host.answerWith(async ({say, finish}) => {
					say('One half. ');
					const words = [program, ...args, '--resume', id, '-p', 'Me, too.'];
					second = await run(process.execPath, words, environmentOf(place), folder);
					say('Other half.');
					finish();
				});
				const {status} = await runInProcess([...args, '--resume', id, '-p', `Again ${turn}.`], place);
				const lines = textsBelow(join(home, 'sessions')).trimEnd().split('\n');
				const order = lines.map(line => JSON.parse(line).seq);
				if (status !== 0 || second?.status !== 8 || order.some((seq, index) => seq !== index)) {
					throw new Error(`statuses ${status} and ${second?.status} ${second?.stderr}; ${order.join(' ')}`);
				}
			});
		}

		return tally.figure();
	},
};

export const places: readonly Fault[] = [badHomes, failingDisk, seenPrompts, twoPrograms];
