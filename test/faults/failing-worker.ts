import {mkdirSync, rmSync} from 'node:fs';
import {join} from 'node:path';
import process from 'node:process';
import {type FailingCalls, failCalls} from './failing-calls.ts';
import {createRandom, createTally} from './fault.ts';
import {openSaver, readSaved, savedKinds} from './saving.ts';

// Run as a process of its own by durability.ts: lets one call of the file system fail while something is saved, again and again,
// and prints the figure.
const [place = '', seed = '', amount = ''] = process.argv.slice(2);
const random = createRandom(Number(seed));
const errors = ['EIO', 'ENOSPC', 'EDQUOT', 'EBUSY', 'EROFS', 'EACCES', 'EMFILE'];
const calls = ['open', 'write', 'sync', 'rename', 'unlink', 'mkdir'] as const;
const saves = 5;

/** Each kind with each call and number of it. */
const cases = savedKinds.flatMap(kind =>
	calls.flatMap(call => Array.from({length: 12}, (_, index) => ({kind, call, at: index + 1}))),
);
const offset = random.below(cases.length);
const tally = createTally();
for (let turn = 0; turn < Number(amount); turn += 1) {
	// 101 shares no factor with their number: all come, in an order of which any part is mixed.
	const {kind, call, at} = cases[(offset + turn * 101) % cases.length] ?? {kind: 'session', call: 'open', at: 1};
	const folder = join(place, String(turn));
	const home = join(folder, 'home');
	const failing: FailingCalls = {below: home, call, at, error: random.pick(errors), times: 1, isHalf: turn % 2 === 0};
	await tally.attempt(
		`${kind}, ${call} ${at} fails with ${failing.error}${failing.isHalf ? ' after a half' : ''}`,
		async () => {
			mkdirSync(home, {recursive: true});
			const saver = await openSaver(kind, home, folder);
			failCalls(failing);
			const saved: number[] = [];
			const complaints: string[] = [];
			for (let index = 0; index < saves; index += 1) {
				try {
					saved.push(...(await saver.save(index)));
				} catch (error) {
					complaints.push(error instanceof Error ? `${error.name}: ${error.message}` : String(error));
				}
			}

			failCalls(undefined);
			await saver.close();
			const isThere = await readSaved(kind, home, saver.path);
			const lost = saved.filter(index => !isThere(index));
			if (lost.length > 0 || complaints.length > 1 || saved.length < saves - complaints.length) {
				throw new Error(`saved ${saved.join(' ')}, lost ${lost.join(' ')}, said ${complaints.join(' | ')}`);
			}

			// A fault of the disk has words; anything else is a bug of ours.
			if (kind !== 'session' && complaints.some(complaint => !complaint.startsWith('AppError: '))) {
				throw new Error(`said ${complaints.join(' | ')}`);
			}
		},
	);
	rmSync(folder, {recursive: true, force: true});
}

process.stdout.write(JSON.stringify(tally.figure()));
