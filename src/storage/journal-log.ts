import type {Recorded} from '../core/session/event.ts';
import type {Journal} from './journal.ts';

/** A journal that is opened with a promise, while records come at once: they are handed on in order. */
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
