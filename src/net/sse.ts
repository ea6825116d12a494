import {createParser} from 'eventsource-parser';
import {AppError} from '../core/error.ts';
import {parseJson} from '../core/json.ts';

/** One event of a stream: its name, where it has one, and its data lines joined by LF. */
export type ServerSentEvent = {readonly event: string | undefined; readonly data: string};

type Options = {
	/** Most characters that one line, or the data of one event, may have. 8 Mi where nothing else is said (SAFETY 21). */
	readonly maxLength?: number;
};

const mebi = 1024 * 1024;

/**
 * Reads server-sent events (WHATWG HTML, section 9.2) from bytes that may be split anywhere. Lines end in LF, CRLF or CR,
 * a BOM may lead, comments are passed over. Vendors end their streams without the last blank line, so a last event is
 * delivered all the same if it is whole: `[DONE]`, or JSON that can be parsed. Throws `network` for a line over the cap.
 */
export async function* readSse(
	body: AsyncIterable<Uint8Array>,
	{maxLength = 8 * mebi}: Options = {},
): AsyncGenerator<ServerSentEvent> {
	// The decoder takes the BOM off; the parser would only know it in undecoded form.
	const decoder = new TextDecoder();
	const toLineFeeds = lineFeeds();
	const events: ServerSentEvent[] = [];
	let tooLong = false;
	const parser = createParser({
		maxBufferSize: maxLength,
		onEvent({event, data}) {
			tooLong ||= data.length > maxLength;
			events.push({event, data});
		},
		onError({type, field, value = ''}) {
			// Unknown fields are no reason to stop, but llama.cpp reports its failures in one.
			tooLong ||= type === 'max-buffer-size-exceeded';
			if (type === 'unknown-field' && field === 'error') {
				events.push({event: 'error', data: value});
			}
		},
	});

	const feed = (text: string): readonly ServerSentEvent[] => {
		if (text) {
			parser.feed(text);
		}

		if (tooLong) {
			throw new AppError('network', `A line of the answer is longer than ${Math.floor(maxLength / mebi)} MiB.`, {
				hint: 'Check that the address is that of a model provider.',
				permanent: true,
			});
		}

		return events.splice(0);
	};

	for await (const bytes of body) {
		yield* feed(toLineFeeds(decoder.decode(bytes, {stream: true})));
	}

	yield* feed(toLineFeeds(decoder.decode()));
	yield* feed('\n\n').filter(({data}) => data.trim() === '[DONE]' || parseJson(data) !== undefined);
}

/**
 * Makes every line end LF. The parser reads CR too, but keeps an event back until it has seen that no LF follows its last
 * CR, which may be a long time in a stream.
 */
function lineFeeds(): (text: string) => string {
	let afterReturn = false;
	return text => {
		const rest = afterReturn && text.startsWith('\n') ? text.slice(1) : text;
		afterReturn = text === '' ? afterReturn : text.endsWith('\r');
		return rest.includes('\r') ? rest.replace(/\r\n?/g, '\n') : rest;
	};
}
