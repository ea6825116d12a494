import {reject} from '../../kit/http-error.ts';
import {type Message, spanMessage} from './otlp-messages.ts';

/** Bounds of one request (SAFETY 21, 24): a few bytes may stand for an object, so that bytes alone bound no memory. */
export const limits = {
	/** Bytes as they were sent. */
	compressed: 16 * 1024 * 1024,
	/** Bytes after decompression. */
	body: 32 * 1024 * 1024,
	spans: 50_000,
	/** Bytes of what is stored of it: a resource is with each of its spans, so that a few bytes could become many. */
	stored: 128 * 1024 * 1024,
	/** Messages and values, all together. */
	values: 2_000_000,
	/** Messages within messages. */
	depth: 100,
};

export type Budget = {
	/** Counts one message or value; refuses (400) if there are too many. */
	readonly spend: (message?: Message) => void;
};

export function createBudget(): Budget {
	let values = 0;
	let spans = 0;
	return {
		spend(message) {
			values++;
			if (values > limits.values) {
				reject(400, `A request may hold ${limits.values} values. Send smaller batches.`);
			}

			if (message === spanMessage) {
				spans++;
				if (spans > limits.spans) {
					reject(400, `A request may hold ${limits.spans} spans. Send smaller batches.`);
				}
			}
		},
	};
}
