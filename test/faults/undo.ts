import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, watch, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import {parseJson} from '../../src/core/json.ts';
import {parseRecorded, type Recorded} from '../../src/core/session/event.ts';
import {openJournal} from '../../src/storage/journal.ts';
import {buildOnce} from '../build-once.ts';
import {connectedTo} from '../e2e/chat.ts';
import {startModelHost} from '../e2e/model-host.ts';
import {environmentOf, folderWith, program} from '../e2e/program.ts';
import {linesOf, recorded, run as runEvents, sessionId} from '../storage/records.ts';
import {createRandom, createTally, type Fault, needs, type Random} from './fault.ts';
import {undoAll} from './undone-changes.ts';

/** Runs a command that ends, or is killed some time after its first line. Returns its lines, and how it ended. */
async function runKilled(command: readonly string[], killAfterMs = -1) {
	const [file = '', ...args] = command;
	const child = spawn(file, args, {env: {PATH: process.env['PATH'], UV_THREADPOOL_SIZE: '1'}});
	let written = '';
	let said = '';
	let killing: Promise<void> | undefined;
	child.stderr.setEncoding('utf8').on('data', (text: string) => {
		said = (said + text).slice(-1000);
	});
	child.stdout.setEncoding('utf8').on('data', (text: string) => {
		written += text;
		if (killAfterMs >= 0) {
			killing ??= sleep(killAfterMs).then(() => void child.kill('SIGKILL'));
		}
	});
	const [status, signal] = await once(child, 'close');
	await killing;
	return {lines: written.split('\n').slice(0, -1).map(parseJson), ended: signal ?? status, said};
}

type Line = {
	readonly files?: Readonly<Record<string, string>>;
	readonly next?: readonly string[];
	readonly done?: string;
};

/** A command below which a process is killed at the nth call of the file system. */
function killedAtCall(random: Random): readonly string[] {
	const call = random.pick(['openat', 'write', 'fsync', 'fdatasync', 'rename', 'link', 'unlink']);
	const when = 1 + random.below(call === 'openat' ? 150 : 40);
	const inject = `inject=${call}:signal=KILL:when=${when}`;
	return ['strace', '-f', '-qq', '-o', '/dev/null', '-e', `trace=${call}`, '-e', inject];
}

const works = needs(['strace', '-qq', '-o', '/dev/null', 'true']);

const original = (name: string) => `original ${name}\n`;

/** Returns what is wrong with files after a kill. Those that were being changed may have what they had, or what comes next. */
function wrongFiles(folder: string, lines: readonly Line[]): readonly string[] {
	const known = lines.findLast(({files}) => files)?.files ?? {};
	const after = lines.slice(lines.findLastIndex(({files}) => files));
	const open = new Set(after.flatMap(({next}) => next ?? []));
	const isRestoring = !after.some(({done}) => done);
	return Object.entries(known).flatMap(([name, text]) => {
		const now = readFileSync(join(folder, name), 'utf8');
		const isSame = now === text;
		return isSame || (open.has(name) && isRestoring) ? [] : [`${name} was changed`];
	});
}

const killedUndo: Fault = {
	name: 'kill -9 while files are changed, undone and redone, at a random moment or the nth call: what was shown as done is so, every saved content can be read, and all of it can be undone',
	rules: [10, 17],
	amounts: {test: 4, full: 300},
	async run({seed, amount}) {
		const random = createRandom(seed);
		const tally = createTally();
		const worker = await buildOnce('undo-worker', new URL('undo-worker.ts', import.meta.url), {
			loader: {'.md': 'text'},
			banner: {js: "import {createRequire} from 'node:module';const require=createRequire(import.meta.url);"},
		});
		for (let turn = 0; turn < amount; turn += 1) {
			const isAtCall = works() === undefined && random.below(2) === 0;
			const below = isAtCall ? killedAtCall(random) : [];
			const killAfterMs = isAtCall ? -1 : random.below(60);
			const seedOfRun = random.below(2 ** 31);
			await tally.attempt(`kill ${turn}, ${isAtCall ? below.at(-1) : `after ${killAfterMs} ms`}`, async () => {
				const place = mkdtempSync(join(tmpdir(), 'service-faults-'));
				try {
					const [folder, stateFolder] = [join(place, 'folder'), join(place, 'home')];
					const names = ['a.txt', 'b.txt', 'c.txt'];
					mkdirSync(folder);
					mkdirSync(stateFolder, {mode: 0o700});
					for (const name of names) {
						writeFileSync(join(folder, name), original(name));
					}

					const path = join(place, `${sessionId}.jsonl`);
					writeFileSync(path, linesOf(recorded(runEvents('first'))), {mode: 0o600});
					const words = [process.execPath, worker, folder, stateFolder, path, sessionId];
					const count = isAtCall ? 4 : 1e6;
					const killed = await runKilled([...below, ...words, String(seedOfRun), String(count)], killAfterMs);
					const wrong = wrongFiles(folder, killed.lines as readonly Line[]);
					// The session is continued, and what another life changes there is undone with the rest.
					const continued = await runKilled([...words, String(seedOfRun + 1), '2']);
					const {records, journal, skipped} = await openJournal({id: sessionId, path});
					await journal.close();
					await undoAll({folder, stateFolder, session: sessionId}, records);
					const left = names.filter(name => readFileSync(join(folder, name), 'utf8') !== original(name));
					const problems = [
						...(killed.ended === 1 ? [killed.said] : []),
						...(continued.ended === 0 ? [] : [`continued with ${continued.ended}: ${continued.said}`]),
						...wrong,
						...(skipped > 0 ? [`${skipped} unreadable lines`] : []),
						...left.map(name => `${name} can't be undone`),
					];
					if (problems.length > 0) {
						throw new Error(problems.join('; '));
					}
				} finally {
					rmSync(place, {recursive: true, force: true, maxRetries: 5});
				}
			});
		}

		return tally.figure();
	},
};

/** Returns the whole records of the sessions in a state folder. */
function recordsBelow(home: string): readonly Recorded[] {
	const files = readdirSync(join(home, 'sessions'), {recursive: true, encoding: 'utf8'});
	return files
		.filter(name => name.endsWith('.jsonl'))
		.flatMap(name => readFileSync(join(home, 'sessions', name), 'utf8').split('\n'))
		.flatMap(line => parseRecorded(parseJson(line)) ?? []);
}

/** What a model asks for, each of which changes note.txt. */
const calls: ReadonlyArray<readonly [string, object]> = [
	['write_file', {path: 'note.txt', content: 'changed\n'}],
	['edit_file', {path: 'note.txt', edits: [{old_text: 'original', new_text: 'changed'}]}],
	['run_command', {command: 'echo changed > note.txt; sleep 5'}],
];

const killedChanges: Fault = {
	name: 'kill -9 at the moment a call has changed a file, on a slow disk: the session knows of it, and /undo restores the file',
	rules: [17],
	amounts: {test: 3, full: 150},
	async run({seed, amount}) {
		const tally = createTally();
		const random = createRandom(seed);
		const failing = await buildOnce('failing-program', new URL('failing-program.ts', import.meta.url));
		for (let turn = 0; turn < amount; turn += 1) {
			const slowCall = random.pick(['write', 'sync']);
			const [name, args] = calls[turn % calls.length] ?? random.pick(calls);
			await tally.attempt(`turn ${turn}, slow ${slowCall}, ${name}`, async () => {
				const host = await startModelHost();
				const {env, args: model} = connectedTo(host);
				const home = join(folderWith(), 'home');
				const folder = folderWith({'note.txt': original('note.txt')});
				const slow = {below: join(home, 'sessions'), call: slowCall, error: 'slow', at: 1, times: 1e9, isHalf: false};
				host.answerWith(
					({call, finish}) => {
						call('read_file', {path: 'note.txt'});
						finish('tool_calls');
					},
					({call, finish}) => {
						call(name, args);
						finish('tool_calls');
					},
				);
				const words = ['--import', failing, program, ...model, '-p', 'Change it.', '--approve', 'all', '--trust'];
				const child = spawn(process.execPath, words, {
					env: environmentOf({home, env: {...env, FAILING_CALLS: JSON.stringify(slow)}}),
					cwd: folder,
					stdio: ['ignore', 'ignore', 'pipe'],
				});
				let said = '';
				child.stderr.setEncoding('utf8').on('data', text => {
					said += text;
				});
				const watcher = watch(folder, () => {
					if (readFileSync(join(folder, 'note.txt'), 'utf8') !== original('note.txt')) {
						child.kill('SIGKILL');
					}
				});
				const [, signal] = await once(child, 'exit');
				watcher.close();
				if (signal !== 'SIGKILL') {
					throw new Error(`ended without a change: ${said}`);
				}

				const records = recordsBelow(home);
				await undoAll({folder, stateFolder: home, session: records[0]?.session ?? ''}, records);
				if (readFileSync(join(folder, 'note.txt'), 'utf8') !== original('note.txt')) {
					throw new Error(`can't be undone; saved were ${records.map(({event}) => event.type).join(' ')}`);
				}
			});
		}

		return tally.figure();
	},
};

export const undo: readonly Fault[] = [killedUndo, killedChanges];
