import {writeSync} from 'node:fs';
import process from 'node:process';
import {openSaver, type SavedKind} from './saving.ts';

// Run as a process of its own by durability.ts: saves one thing after another, and writes a line for each that is saved. It ends
// when it is killed, or once it has saved all.
const [kind = '', home = '', folder = '', first = '0', last = '', continued = ''] = process.argv.slice(2);
const saver = await openSaver(kind as SavedKind, home, folder, continued);
writeSync(1, `path ${saver.path}\n`);
for (let index = Number(first); index < Number(last); index += 1) {
	for (const saved of await saver.save(index)) {
		writeSync(1, `${saved}\n`);
	}
}

await saver.close();
