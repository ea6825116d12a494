import {randomUUID} from 'node:crypto';
import {existsSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {setImmediate as turn} from 'node:timers/promises';
import {expect, test} from 'vitest';
import {addWholeSession, sessionsById} from '../../src/storage/add-session.ts';
import {homeAt} from '../../src/storage/home.ts';
import {git, twoClones} from '../agent/handoff/clones.ts';
import {apiKey} from '../e2e/chat.ts';
import {startModelHost} from '../e2e/model-host.ts';
import {folderWith, type Place, runProgram, startProgram} from '../e2e/program.ts';
import {createRandom, drawnSeed} from '../faults/fault.ts';
import {agreeing} from './agreeing.ts';
import {hasSshd, startSshd} from './sshd.ts';

const amount = 200;

/** A terminal in one clone, and a host behind ssh in another one, with another state folder; uncommitted changes wait in the first. */
async function openMachines() {
	const model = await startModelHost(['alpha']);
	const {one, other} = twoClones({'a.txt': 'a\n', 'gone.txt': 'gone\n'});
	// The host has a later commit, so that the one of the changes is checked out first.
	writeFileSync(join(other, 'later.txt'), 'later\n');
	git(other, 'add', '--all');
	git(other, 'commit', '--quiet', '--message=later');
	const [home, hostHome] = [join(folderWith(), 'home'), join(folderWith(), 'home')];
	const env = {CUSTOM_BASE_URL: model.baseUrl, CUSTOM_API_KEY: apiKey, SERVICE_KEYCHAIN: 'off'};
	const sshd = await startSshd({...env, SERVICE_HOME: hostHome});
	const startHost = async () => {
		const host = startProgram(['host', '--json'], {home: hostHome, folder: other, env});
		await expect.poll(host.written).toContain('"socket"');
		return host;
	};
	const place: Place = {home, folder: one, env: {...env, PATH: sshd.path}};
	return {
		one,
		other,
		home,
		hostHome,
		sshd,
		place,
		startHost,
		/** Adds a session to the terminal's machine, and uncommitted changes to its clone. */
		async begin() {
			git(one, 'reset', '--quiet', '--hard');
			git(one, 'clean', '--quiet', '--force', '-d');
			writeFileSync(join(one, 'a.txt'), 'changed\n');
			git(one, 'rm', '--quiet', 'gone.txt');
			for (let index = 0; index < amount; index++) {
				writeFileSync(join(one, `new-${index}.txt`), `new ${index}\n`);
			}

			const id = randomUUID();
			const event = {type: 'user-message', id: 'm', text: 'Fix the test'} as const;
			const record = {v: 1, seq: 0, at: new Date().toISOString(), session: id, server: 'local', event} as const;
			await addWholeSession(homeAt(home), {id, folder: one, records: [record]});
			return id;
		},
		handoff: (...words: readonly string[]) => agreeing(['handoff', sshd.place, ...words], place),
		idsIn: async (state: string) => [...(await sessionsById(homeAt(state))).keys()],
	};
}

/** Waits until a file is there, or a program has ended. */
async function untilThere(path: string, ended: Promise<unknown>): Promise<void> {
	let isOver = false;
	void ended.then(() => {
		isOver = true;
	});
	while (!isOver && !existsSync(path)) {
		await turn();
	}
}

const stateOf = (clone: string) => [
	git(clone, 'symbolic-ref', '--short', 'HEAD'),
	git(clone, 'rev-parse', 'HEAD'),
	// What was staged counts as changed.
	git(clone, 'status', '--porcelain').replaceAll(/^(\w) /gm, ' $1'),
	git(clone, 'stash', 'list'),
];

test.skipIf(!hasSshd)(
	`[33] a host that is killed while it applies changes puts them back with its next start, and says so (seed ${drawnSeed})`,
	async () => {
		const random = createRandom(drawnSeed);
		const world = await openMachines();
		const {other, hostHome, startHost, begin, handoff, idsIn, place} = world;
		const before = stateOf(other);
		let host = await startHost();
		for (let round = 0; round < 2; round++) {
			const id = await begin();
			const sending = handoff('--session', id);
			await untilThere(join(other, `new-${random.below(amount)}.txt`), sending.ended);
			host.child.kill('SIGKILL');
			await host.ended;
			await sending.ended;
			host = await startHost();
			expect(stateOf(other)).toEqual(before);
			expect(host.said()).toContain(`A hand-over to ${other} was cut off. What it had changed was put back.`);
			expect(await idsIn(hostHome)).toEqual([]);

			// What was cut off is no obstacle for the next attempt.
			if (round === 1) {
				expect(await handoff('--session', id).ended).toBe(0);
				expect(git(other, 'status', '--porcelain').split('\n').filter(Boolean)).toHaveLength(amount + 2);
				expect(await idsIn(hostHome)).toHaveLength(1);
				expect(await runProgram(['--resume', id, '-p', 'Hello'], place)).toMatchObject({
					status: 8,
					stderr: expect.stringContaining('was handed over'),
				});
			}
		}
	},
);

test.skipIf(!hasSshd)(
	`[33] a terminal that is killed while it applies changes puts them back with its next start, and its own again (seed ${drawnSeed})`,
	async () => {
		const random = createRandom(drawnSeed);
		const {one, other, home, hostHome, startHost, begin, handoff, idsIn, place} = await openMachines();
		await startHost();
		const id = await begin();
		expect(await handoff('--session', id).ended).toBe(0);
		const [there = ''] = await idsIn(hostHome);
		writeFileSync(join(other, 'a.txt'), 'changed there\n');
		for (let index = 0; index < amount; index++) {
			writeFileSync(join(other, `there-${index}.txt`), `there ${index}\n`);
		}

		const before = stateOf(one);
		const taking = handoff('--back', '--session', there);
		await untilThere(join(one, `there-${random.below(amount)}.txt`), taking.ended);
		taking.terminal.kill('SIGKILL');
		await taking.ended;
		const next = await runProgram(['-p', 'Hello', '--model', 'custom/alpha'], place);
		expect(next.stderr).toContain(`A hand-over to ${one} was cut off. What it had changed was put back.`);
		expect(stateOf(one)).toEqual(before);
		expect(readFileSync(join(one, 'a.txt'), 'utf8')).toBe('changed\n');

		const had = (await idsIn(home)).length;
		expect(await handoff('--back', '--session', there).ended).toBe(0);
		expect(await idsIn(home)).toHaveLength(had + 1);
		expect(readFileSync(join(one, 'a.txt'), 'utf8')).toBe('changed there\n');
		expect(git(one, 'stash', 'list')).toBe('');
	},
);
