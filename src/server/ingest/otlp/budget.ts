import {reject} from '../../kit/http-error.ts';
import {type MessageSchema, spanMessage} from './otlp-messages.ts';

/**
 * Limits of one request (SAFETY 21, 24). A few bytes can encode an object, so a limit of bytes alone wouldn't limit
 * memory.
 */
export const limits = {
	/** Bytes as sent. */
	compressed: 16 * 1024 * 1024,
	/** Bytes after decompression. */
	body: 32 * 1024 * 1024,
	spans: 50_000,
	/** Bytes to store: a resource is stored with each of its spans, so a small request could become large. */
	stored: 128 * 1024 * 1024,
	/** All messages and values together. */
	values: 2_000_000,
	/** Nesting of messages. */
	depth: 100,
};

export type DecodeBudget = {
	/** Counts one message or value. Rejects the request (400) if there are too many. */
	readonly spend: (message?: MessageSchema) => void;
};

export function createBudget(): DecodeBudget {
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
