import type {Recorded} from '../core/session/event.ts';
import type {Journal} from './journal.ts';

/** Returns a log over a journal that is still being opened: it passes records on in order. */
export function logOf(journal: Promise<Journal>) {
	return {
		append: (record: Recorded) => void journal.then(opened => opened.append(record)),
		async flush() {
			await (await journal).flush();
		},
		async close() {
			await (await journal).close();
		},
	};
}
