import {createParser} from 'eventsource-parser';
import {AppError} from '../core/error.ts';
import {parseJson} from '../core/json.ts';

/** One event of a stream: its name, if it has one, and its data lines joined by LF. */
export type ServerSentEvent = {readonly event: string | undefined; readonly data: string};

type Options = {
	/** The most characters of one line or one event's data; 8 Mi by default (SAFETY 21). */
	readonly maxLength?: number;
};

const mebi = 1024 * 1024;

/** Reads the events of one stream. */
export type SseParser = {
	/** Returns the events that these bytes end. Throws AppError("network") for a line over `maxLength`. */
	readonly feed: (bytes: Uint8Array) => readonly ServerSentEvent[];
	/** Returns the last events, once the stream has ended. Throws like `feed`. */
	readonly end: () => readonly ServerSentEvent[];
};

/**
 * Creates a parser of server-sent events (WHATWG HTML, section 9.2) in bytes that may be split anywhere. Lines end in LF,
 * CRLF or CR, a BOM may come first, comments are skipped. Some vendors leave out the last blank line, so a last event
 * counts without it if it's whole: `[DONE]` or valid JSON.
 */
export function createSseParser({maxLength = 8 * mebi}: Options = {}): SseParser {
	// The decoder removes the BOM; the parser only recognizes it undecoded.
	const decoder = new TextDecoder();
	const toLineFeeds = lineFeeds();
	const events: ServerSentEvent[] = [];
	let isTooLong = false;
	const parser = createParser({
		maxBufferSize: maxLength,
		onEvent({event, data}) {
			isTooLong ||= data.length > maxLength;
			events.push({event, data});
		},
		onError({type, field, value = ''}) {
			// Unknown fields are ignored, except the one in which llama.cpp reports failures.
			isTooLong ||= type === 'max-buffer-size-exceeded';
			if (type === 'unknown-field' && field === 'error') {
				events.push({event: 'error', data: value});
			}
		},
	});

	const feed = (text: string): readonly ServerSentEvent[] => {
		if (text) {
			parser.feed(text);
		}

		if (isTooLong) {
			throw new AppError('network', `A line of the response is longer than ${Math.floor(maxLength / mebi)} MiB.`, {
				hint: 'Check that the address belongs to a model provider.',
				permanent: true,
			});
		}

		return events.splice(0);
	};

	return {
		feed: bytes => feed(toLineFeeds(decoder.decode(bytes, {stream: true}))),
		end() {
			const rest = feed(toLineFeeds(decoder.decode()));
			const last = feed('\n\n').filter(({data}) => data.trim() === '[DONE]' || parseJson(data) !== undefined);
			return [...rest, ...last];
		},
	};
}

/**
 * Returns a function that normalizes line ends to LF. The parser accepts CR, but holds an event back until it knows that no
 * LF follows, which may take long in a stream.
 */
function lineFeeds(): (text: string) => string {
	let isAfterReturn = false;
	return text => {
		const rest = isAfterReturn && text.startsWith('\n') ? text.slice(1) : text;
		isAfterReturn = text === '' ? isAfterReturn : text.endsWith('\r');
		return rest.includes('\r') ? rest.replace(/\r\n?/g, '\n') : rest;
	};
}
