import {execFile, spawn} from 'node:child_process';
import {once} from 'node:events';
import {existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import {promisify} from 'node:util';
import {openJournal} from '../../src/storage/journal.ts';
import {buildOnce} from '../build-once.ts';
import {linesOf, recorded, run as runEvents, sessionId} from '../storage/records.ts';
import {inMemory} from '../storage/temporary.ts';
import {createRandom, createTally, type Fault, type Figure, needs} from './fault.ts';
import {readSaved, type SavedKind, savedKinds} from './saving.ts';

const built = new Map<string, Promise<string>>();

/** Builds a program of this folder. */
function worker(name: string): Promise<string> {
	const found =
		built.get(name) ??
		buildOnce(name, new URL(`${name}.ts`, import.meta.url), {
			loader: {'.md': 'text'},
			banner: {js: "import {createRequire} from 'node:module';const require=createRequire(import.meta.url);"},
		});
	built.set(name, found);
	return found;
}

/** Runs `use` with a new folder in memory: a kill leaves what the system holds for the disk. */
async function withFolder<Value>(use: (folder: string) => Promise<Value>): Promise<Value> {
	const folder = mkdtempSync(join(inMemory, 'service-faults-'));
	try {
		return await use(folder);
	} finally {
		rmSync(folder, {recursive: true, force: true, maxRetries: 5});
	}
}

/** Processes that save things of one kind in one state folder, one after another. */
async function createSavers(kind: SavedKind, folder: string) {
	const program = await worker('saving-worker');
	const home = join(folder, kind);
	const acknowledged: number[] = [];
	let session = '';
	let next = 0;
	return {
		acknowledged,
		/** Runs one to its end, below a command, or kills it some time after it has saved something. Returns how it ended. */
		async run({count = 1e6, killAfterMs = -1, below = [] as readonly string[]}): Promise<string | number> {
			const [file = '', ...args] = [...below, process.execPath, program, kind, home, folder];
			// One that was killed before its first message has no file, and begins again.
			const continued = existsSync(session) ? session : '';
			const child = spawn(file, [...args, String(next), String(next + count), continued], {
				// One thread for files, so that the number of a call is that of a thread.
				env: {PATH: process.env['PATH'], UV_THREADPOOL_SIZE: '1'},
				stdio: ['ignore', 'pipe', 'pipe'],
			});
			let written = '';
			let said = '';
			child.stderr.setEncoding('utf8').on('data', (text: string) => {
				said = (said + text).slice(-1000);
			});
			let killing: Promise<void> | undefined;
			child.stdout.setEncoding('utf8').on('data', (text: string) => {
				written += text;
				if (killAfterMs >= 0 && /^\d+\n/m.test(written)) {
					killing ??= sleep(killAfterMs).then(() => void child.kill('SIGKILL'));
				}
			});
			const [status, signal] = await once(child, 'close');
			await killing;
			const lines = written.split('\n').slice(0, -1);
			session ||= lines.find(line => line.startsWith('path '))?.slice(5) ?? '';
			const saved = lines.filter(line => /^\d+$/.test(line)).map(Number);
			acknowledged.push(...saved);
			// What was under way may be there, too.
			next = Math.max(next, ...saved) + 2;
			return signal ?? (status === 1 ? `1: ${said.trim()}` : status);
		},
		/** Returns what was acknowledged and isn't there. Throws if something can't be read. */
		async lost(): Promise<readonly string[]> {
			// Killed before it had saved anything.
			const isThere = acknowledged.length > 0 ? await readSaved(kind, home, session) : () => true;
			return acknowledged.filter(index => !isThere(index)).map(index => `${kind} ${index} is lost`);
		},
	};
}

/** Kills savers at random moments, again and again in one state folder. Counts what was acknowledged. */
function killedAtRandom(name: string, kinds: readonly SavedKind[], amounts: Fault['amounts']): Fault {
	return {
		...{name, rules: [10, 17, 18], amounts},
		run: ({seed, amount}) =>
			withFolder(async folder => {
				const random = createRandom(seed);
				const tally = createTally();
				const all = await Promise.all(kinds.map(kind => createSavers(kind, folder)));
				for (let kill = 0; kill < amount; kill += 1) {
					const savers = random.pick(all);
					const killAfterMs = random.below(30);
					const before = savers.acknowledged.length;
					const ended = await savers.run({killAfterMs});
					const lost = ended === 'SIGKILL' ? await savers.lost() : [`ended with ${ended}`];
					const failures = lost.map(what => `kill ${kill} after ${killAfterMs} ms: ${what}`);
					tally.add(savers.acknowledged.length - before, failures);
				}

				return tally.figure();
			}),
	};
}

const killedAtCalls: Fault = {
	name: 'kill -9 at the nth open, write, sync, rename or unlink: what was saved is there, and saving continues',
	rules: [10, 17, 18],
	amounts: {test: 3, full: 400},
	lacks: needs(['strace', '-qq', '-o', '/dev/null', 'true']),
	async run({seed, amount}) {
		const random = createRandom(seed);
		const tally = createTally();
		for (let turn = 0; turn < amount; turn += 1) {
			const kind = random.pick(savedKinds);
			const call = random.pick(['openat', 'write', 'fsync', 'fdatasync', 'rename', 'unlink']);
			// A start opens many files, of the program itself.
			const when = 1 + random.below(call === 'openat' ? 60 : 25);
			const inject = `inject=${call}:signal=KILL:when=${when}`;
			const below = ['strace', '-f', '-qq', '-o', '/dev/null', '-e', `trace=${call}`, '-e', inject];
			await tally.attempt(`${kind}, ${call} ${when}`, () =>
				withFolder(async folder => {
					const savers = await createSavers(kind, folder);
					await savers.run({below, count: 6});
					ageTemporaryFiles(folder);
					const ended = await savers.run({count: 2});
					throwIfAny([
						...(ended === 0 ? [] : [`continued with ${ended}`]),
						...(await savers.lost()),
						...ageTemporaryFiles(folder).map(path => `${path} was left behind`),
					]);
				}),
			);
		}

		return tally.figure();
	},
};

/** Makes temporary files two hours old, which no running process writes any more. Returns their paths. */
function ageTemporaryFiles(folder: string): readonly string[] {
	const paths = readdirSync(folder, {recursive: true, encoding: 'utf8'}).filter(path =>
		/[.]tmp(?:-[^/]*)?$/.test(path),
	);
	const then = new Date(Date.now() - 2 * 60 * 60 * 1000);
	for (const path of paths) {
		utimesSync(join(folder, path), then, then);
	}

	return paths;
}

const failedCalls: Fault = {
	name: 'one call of the file system fails while something is saved: it is said, and the next one is saved',
	rules: [10, 17, 19],
	amounts: {test: 360, full: 7200},
	run: ({seed, amount}) =>
		withFolder(async folder => {
			const program = await worker('failing-worker');
			const args = [program, folder, String(seed), String(amount)];
			const {stdout} = await promisify(execFile)(process.execPath, args);
			const figure: Figure = JSON.parse(stdout);
			return figure;
		}),
};

const cutTails: Fault = {
	name: 'a session cut at every byte of its last three records: every whole record is kept, and it continues',
	rules: [17],
	amounts: {test: 40, full: 4000},
	run: ({seed, amount}) =>
		withFolder(async folder => {
			const random = createRandom(seed);
			const tally = createTally();
			const path = join(folder, `${sessionId}.jsonl`);
			while (tally.figure().tried < amount) {
				const text = random.pick(['grüße 👋', 'a "quoted"\n\\ line', '\u2028{"v":1}', 'x'.repeat(400)]);
				const records = recorded([...runEvents('first'), ...runEvents(text)]);
				const bytes = Buffer.from(linesOf(records));
				const ends = records.map((_, index) => Buffer.byteLength(linesOf(records.slice(0, index + 1))));
				const first = random.below(20);
				for (let cut = (ends.at(-4) ?? 0) + first; cut <= bytes.length && tally.figure().tried < amount; cut += 1) {
					// Zeros are what some file systems leave of a write that was lost with the power.
					const zeros = Buffer.alloc(random.below(3) === 0 ? 1 + random.below(9) : 0);
					// A record is whole once its last brace is there, if nothing comes behind it.
					const whole = ends.filter(end => end <= cut || (end - 1 === cut && zeros.length === 0)).length;
					await tally.attempt(`cut at ${cut}, ${zeros.length} zeros`, async () => {
						rmSync(`${path}.torn`, {force: true});
						writeFileSync(path, Buffer.concat([bytes.subarray(0, cut), zeros]), {mode: 0o600});
						const {journal, nextSeq} = await openJournal({id: sessionId, path});
						recorded(runEvents('next'), sessionId, nextSeq).forEach(journal.append);
						const state = await journal.close();
						const again = await openJournal({id: sessionId, path});
						await again.journal.close();
						const kept = again.records.map(({seq}) => seq);
						if (!state.saved || kept.length !== whole + 5 || kept.some((seq, index) => seq !== index)) {
							throw new Error(`kept ${kept.join(' ')} of ${whole} whole records and 5 new ones`);
						}
					});
				}
			}

			return tally.figure();
		}),
};

const sharedFile: Fault = {
	name: '8 processes change one file at once: every change is kept',
	rules: [18],
	amounts: {test: 40, full: 4000},
	run: ({amount}) =>
		withFolder(async folder => {
			const program = await buildOnce('append-worker', new URL('../storage/append-worker.ts', import.meta.url));
			const path = join(folder, 'shared');
			const names = [...'abcdefgh'];
			await Promise.all(
				names.map(name =>
					once(spawn(process.execPath, [program, path, name, String(amount / 8)], {stdio: 'ignore'}), 'exit'),
				),
			);
			const kept = new Set(readFileSync(path, 'utf8').trimEnd().split('\n'));
			const all = names.flatMap(name => Array.from({length: amount / 8}, (_, index) => `${name}-${index}`));
			const lost = all.filter(line => !kept.has(line));
			return {tried: all.length, failed: lost.length, firstFailure: lost.map(line => `${line} is lost`)[0]};
		}),
};

/** How many processes change files at once. */
const sharing = 8;

const sharedEntries: Fault = {
	name: `${sharing} processes change settings, keys and profiles of one state folder at once: every change is kept`,
	rules: [18],
	amounts: {test: 3 * sharing * 2, full: 3 * sharing * 500},
	run: ({amount}) =>
		withFolder(async folder => {
			const program = await worker('sharing-worker');
			const rounds = Math.max(1, Math.floor(amount / 3 / sharing));
			const home = join(folder, 'home');
			const lost = await Promise.all(
				Array.from({length: sharing}, async (_, entry) => {
					const args = [program, home, String(entry), String(rounds)];
					const {stdout} = await promisify(execFile)(process.execPath, args, {env: {PATH: process.env['PATH']}});
					return stdout.split('\n').slice(0, -1);
				}),
			);
			const all = lost.flat();
			return {tried: 3 * sharing * rounds, failed: all.length, firstFailure: all[0]};
		}),
};

function throwIfAny(problems: readonly string[]): void {
	if (problems.length > 0) {
		throw new Error(problems.slice(0, 3).join(', '));
	}
}

export const durability: readonly Fault[] = [
	killedAtRandom(
		'kill -9 at a random moment while a session is written: messages that counted as saved are there',
		['session'],
		{test: 2, full: 300},
	),
	killedAtRandom(
		'kill -9 at a random moment while keys, profiles, settings and prompts are saved: those that were saved are there',
		savedKinds.filter(kind => kind !== 'session'),
		{test: 3, full: 300},
	),
	...[killedAtCalls, failedCalls, cutTails, sharedFile, sharedEntries],
];
