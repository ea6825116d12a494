import type {IncomingMessage, ServerResponse} from 'node:http';

/** What happens to a request instead of its answer; `after` a change was made, only its answer is lost. */
export type EngineFault = {
	readonly status?: number;
	readonly headers?: Readonly<Record<string, string>>;
	readonly break?: 'before' | 'after';
	/** Gigabytes, something else than an engine says, or nothing for ever. */
	readonly answer?: 'flood' | 'garbage' | 'nothing';
};

export const engineFaults: readonly EngineFault[] = [
	{status: 500},
	{break: 'before'},
	{break: 'after'},
	{answer: 'flood'},
	{answer: 'garbage'},
];

/** Answers a request with a fault, if that is to be seen before anything is done. Returns whether it has. */
export function answerFault(
	fault: EngineFault | undefined,
	request: IncomingMessage,
	response: ServerResponse,
): boolean {
	if (fault?.break === 'before') {
		request.socket.destroy();
	} else if (fault?.answer === 'garbage') {
		response.writeHead(200, {'content-type': 'application/json'}).end('<html>It works!</html>');
	} else if (fault?.answer === 'flood') {
		flood(response, '{"a":"', Buffer.alloc(256 * 1024, 'x'));
	} else if (fault?.answer !== 'nothing') {
		return false;
	}

	return true;
}

/** Writes for ever what `next` says, as fast as it is read, and counts the bytes. */
export function flood(response: ServerResponse, head: string, next: Buffer): {bytes: number} {
	const sent = {bytes: 0};
	response.writeHead(200, {'content-type': 'application/json'});
	if (response.req.method === 'HEAD') {
		// It has no body, which would take no time, without an end.
		response.destroy();
		return sent;
	}

	response.write(head);
	const more = () => {
		while (!response.destroyed && !response.writableEnded) {
			sent.bytes += next.length;
			if (!response.write(next)) {
				response.once('drain', more);
				return;
			}
		}
	};
	more();
	return sent;
}
