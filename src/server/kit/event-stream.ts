/**
 * Streams texts as server-sent events. The body is pulled, so a slow reader slows the generator down. When the reader
 * disconnects, the generator's `signal` aborts and its `finally` runs.
 */
export function eventStream(start: (signal: AbortSignal) => AsyncGenerator<string>): Response {
	const stop = new AbortController();
	const events = start(stop.signal);
	const encoder = new TextEncoder();
	const body = new ReadableStream<Uint8Array>(
		{
			async pull(controller) {
				const next = await events.next();
				if (next.done) {
					controller.close();
				} else {
					controller.enqueue(encoder.encode(`data: ${next.value}\n\n`));
				}
			},
			async cancel() {
				stop.abort();
				await events.return(undefined);
			},
		},
		{highWaterMark: 0},
	);
	return new Response(body, {headers: {'content-type': 'text/event-stream', 'cache-control': 'no-store'}});
}
