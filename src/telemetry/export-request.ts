import {AppError} from '../core/error.ts';
import {isJsonObject, type Json, parseJson} from '../core/json.ts';
import {exportBody, type SpanSource} from '../core/otlp.ts';
import {readText} from '../net/read-body.ts';
import {isRetryableStatus, parseRetryAfter} from '../net/retry.ts';
import type {Transport} from '../net/transport.ts';
import type {SendSpans, Sent} from './span-queue.ts';

/** Returns what a response says of rejected spans (https://opentelemetry.io/docs/specs/otlp/#partial-success-1). */
export function sentOf(answer: Json | undefined, spans: number): Sent {
	const part = isJsonObject(answer) ? answer['partialSuccess'] : undefined;
	if (!isJsonObject(part)) {
		return {rejected: 0};
	}

	const rejected = Number(part['rejectedSpans'] ?? 0);
	const why = part['errorMessage'];
	return {
		rejected: Number.isInteger(rejected) && rejected > 0 ? Math.min(rejected, spans) : 0,
		why: typeof why === 'string' && why ? why.slice(0, 300) : undefined,
	};
}

type Endpoint = {
	/** The URL that spans are posted to. */
	readonly url: string;
	readonly transport: Transport;
	readonly source: SpanSource;
};

/** Returns what sends spans to any OTLP/HTTP endpoint, in JSON. */
export function sendTo({url, transport, source}: Endpoint): SendSpans {
	return async (spans, signal) => {
		const response = await transport({
			method: 'POST',
			url,
			headers: {'content-type': 'application/json'},
			body: exportBody(spans, source),
			signal,
		});
		const text = await readText(response, {maxBytes: 64 * 1024});
		const {status} = response;
		if (status < 200 || status > 299) {
			const isPassing = isRetryableStatus(status);
			const retryAfter = parseRetryAfter(response.headers, Date.now());
			throw new AppError(isPassing ? 'network' : 'failed', `${new URL(url).host} answered ${status}.`, {
				...(retryAfter !== undefined && {retryAfter}),
			});
		}

		return sentOf(parseJson(text), spans.length);
	};
}
