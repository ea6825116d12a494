import {openHome} from '../../src/storage/home.ts';
import {createJournal} from '../../src/storage/journal.ts';
import {recorded, run} from './records.ts';

// Run as a process of its own by journal-crash.test.ts: saves a message, says where, and writes on until it is killed.
const [home, folder = '', session = ''] = process.argv.slice(2);
const journal = await createJournal({home: openHome({SERVICE_HOME: home}), folder, session});
for (const record of recorded(run('precious').slice(0, 2), session)) {
	journal.append(record);
}

const {saved} = await journal.flush();
process.stdout.write(saved ? `${journal.path}\n` : '\n');
for (let seq = 2; ; seq += 1) {
	const [delta] = recorded([{type: 'text-delta', id: 't1', messageId: 'm1', text: 'x'.repeat(5000)}], session, seq);
	if (delta) {
		journal.append(delta);
	}

	await new Promise(resolve => setTimeout(resolve, 1));
}
