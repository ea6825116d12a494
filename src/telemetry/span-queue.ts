import {AppError, messageOf} from '../core/error.ts';

/** What a server did with a batch. */
export type Sent = {
	readonly rejected: number;
	/** Why it rejected some, in the server's words. */
	readonly why?: string | undefined;
};

/**
 * Sends encoded spans. Throws AppError("network") if a retry may help, with `retryAfter` if the server asked for a wait;
 * any other `AppError` if not.
 */
export type SendSpans = (spans: readonly string[], signal: AbortSignal) => Promise<Sent>;

/** What became of the spans so far. */
export type QueueState = {
	readonly waiting: number;
	readonly sent: number;
	/** Spans that were not sent, because the queue was full or the server refused them. */
	readonly dropped: number;
	/** Why the last request failed; undefined after one that did not. */
	readonly fault: string | undefined;
};

export type SpanQueue = {
	/** Adds encoded spans. Never waits: what is too much is dropped. */
	readonly push: (spans: readonly string[]) => void;
	readonly state: () => QueueState;
	/** Sends what waits, for at most `deadlineMs`; drops the rest. */
	readonly close: (deadlineMs: number) => Promise<void>;
};

export type QueueOptions = {
	readonly send: SendSpans;
	/** Called when spans were dropped, or a request has failed for good. */
	readonly onFault: (state: QueueState) => void;
	/** Timers, which tests replace. They must not keep the process alive. */
	readonly sleep?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
	readonly limits?: Partial<typeof defaultLimits>;
};

const defaultLimits = {
	spans: 2048,
	/** Of all spans that wait. */
	bytes: 8 * 1024 * 1024,
	/** Spans of one request. */
	batch: 256,
	/** How long spans wait for others. */
	lingerMs: 500,
	timeoutMs: 10_000,
	/** Requests for the same spans. */
	attempts: 5,
	/** The first wait before a retry; each further one is twice as long. */
	retryMs: 1000,
};

/** A server that asks for a longer wait gets none of the spans. */
const maxRetryAfterMs = 60_000;

/** The most bytes of spans in one request. */
const batchBytes = 4 * 1024 * 1024;

type Queue = {
	readonly options: Required<QueueOptions> & {readonly limits: typeof defaultLimits};
	readonly waiting: string[];
	bytes: number;
	sent: number;
	dropped: number;
	fault: string | undefined;
	/** Ends the waits between requests. */
	hurry: AbortController;
	/** Ends everything. */
	readonly stop: AbortController;
};

/**
 * Creates a queue that sends spans in batches, one request at a time, beside everything else: a server that stalls costs
 * a bounded amount of memory and nothing more. A failed request is repeated a few times; the server stores each span
 * once. Then its spans are dropped and counted.
 */
export function createSpanQueue({limits, sleep = unreferenced, ...given}: QueueOptions): SpanQueue {
	const options = {...given, sleep, limits: {...defaultLimits, ...limits}};
	const queue: Queue = {
		options,
		waiting: [],
		bytes: 0,
		sent: 0,
		dropped: 0,
		fault: undefined,
		hurry: new AbortController(),
		stop: new AbortController(),
	};
	let working: Promise<void> | undefined;

	return {
		push(spans) {
			add(queue, spans);
			if (!queue.stop.signal.aborted && queue.waiting.length > 0) {
				working ??= work(queue).finally(() => {
					working = undefined;
				});
			}
		},
		state: () => stateOf(queue),
		async close(deadlineMs) {
			queue.hurry.abort();
			await Promise.race([working, options.sleep(deadlineMs, queue.stop.signal).catch(() => undefined)]);
			queue.stop.abort();
			drop(queue, queue.waiting.length);
		},
	};
}

function stateOf({waiting, sent, dropped, fault}: Queue): QueueState {
	return {waiting: waiting.length, sent, dropped, fault};
}

function add(queue: Queue, spans: readonly string[]): void {
	const {limits, onFault} = queue.options;
	const before = queue.dropped;
	for (const span of spans) {
		const hasRoom = queue.waiting.length < limits.spans && queue.bytes + span.length <= limits.bytes;
		if (hasRoom && !queue.stop.signal.aborted) {
			queue.waiting.push(span);
			queue.bytes += span.length;
		} else {
			queue.dropped += 1;
		}
	}

	if (queue.dropped > before) {
		onFault(stateOf(queue));
	}
}

/** Sends everything that waits. Never throws. */
async function work(queue: Queue): Promise<void> {
	const {limits} = queue.options;
	await pause(queue, limits.lingerMs);
	while (queue.waiting.length > 0 && !queue.stop.signal.aborted) {
		await sendBatch(queue, nextBatch(queue));
	}
}

function nextBatch({waiting, options}: Queue): readonly string[] {
	let bytes = 0;
	return waiting.slice(0, options.limits.batch).filter((span, index) => {
		bytes += span.length;
		return index === 0 || bytes <= batchBytes;
	});
}

async function sendBatch(queue: Queue, batch: readonly string[]): Promise<void> {
	const {limits, send, onFault} = queue.options;
	for (let attempt = 1; !queue.stop.signal.aborted; attempt += 1) {
		try {
			const {rejected, why} = await inTime(send, batch, limits.timeoutMs, queue.stop.signal);
			remove(queue, batch.length);
			queue.sent += batch.length - rejected;
			queue.dropped += rejected;
			queue.fault = rejected > 0 ? (why ?? 'The server rejected spans.') : undefined;
			if (rejected > 0) {
				onFault(stateOf(queue));
			}

			return;
		} catch (error) {
			queue.fault = messageOf(error);
			const askedMs = error instanceof AppError ? (error.retryAfter ?? 0) : 0;
			const isPassing = isTemporary(error) && askedMs <= maxRetryAfterMs;
			const isLast = !isPassing || attempt >= limits.attempts || queue.hurry.signal.aborted;
			if (isLast && !queue.stop.signal.aborted) {
				drop(queue, batch.length);
				onFault(stateOf(queue));
				return;
			}

			await pause(queue, Math.max(askedMs, limits.retryMs * 2 ** (attempt - 1)));
		}
	}
}

/** Ends a request after a while, also one that ignores its signal. */
async function inTime(send: SendSpans, batch: readonly string[], timeoutMs: number, stop: AbortSignal): Promise<Sent> {
	const timeout = AbortSignal.timeout(timeoutMs);
	const signal = AbortSignal.any([stop, timeout]);
	const cut = new Promise<never>((_, reject) => {
		const end = () =>
			reject(new AppError('network', timeout.aborted ? `No answer in ${timeoutMs / 1000} s.` : 'No answer in time.'));
		signal.addEventListener('abort', end, {once: true});
	});
	return Promise.race([send(batch, signal), cut]);
}

function isTemporary(error: unknown): boolean {
	return error instanceof AppError && error.code === 'network';
}

function remove(queue: Queue, count: number): void {
	for (const span of queue.waiting.splice(0, count)) {
		queue.bytes -= span.length;
	}
}

function drop(queue: Queue, count: number): void {
	remove(queue, count);
	queue.dropped += count;
}

/** Waits, but not once the queue is closed. */
async function pause({options, hurry}: Queue, milliseconds: number): Promise<void> {
	await options.sleep(milliseconds, hurry.signal).catch(() => undefined);
}

async function unreferenced(milliseconds: number, signal: AbortSignal): Promise<void> {
	const {setTimeout: sleep} = await import('node:timers/promises');
	await sleep(milliseconds, undefined, {signal, ref: false});
}
