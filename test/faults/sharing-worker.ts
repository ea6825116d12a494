import process from 'node:process';
import {entryCount, openSaver, readSaved} from './saving.ts';

// Run as a process of its own by durability.ts: changes entries of its own in files that others change at the same time, and
// writes a line for each entry that another one took back.
const [home = '', entry = '', rounds = ''] = process.argv.slice(2);
const kinds = await Promise.all(
	(['settings', 'keys', 'profiles'] as const).map(async kind => ({kind, saver: await openSaver(kind, home, '')})),
);
for (let round = 0; round <= Number(rounds); round += 1) {
	for (const {kind, saver} of kinds) {
		const index = entryCount * round + Number(entry);
		if (round > 0 && !(await readSaved(kind, home, ''))(index - entryCount)) {
			process.stdout.write(`${kind} ${index - entryCount} is lost\n`);
		}

		if (round < Number(rounds)) {
			await saver.save(index);
		}
	}
}
