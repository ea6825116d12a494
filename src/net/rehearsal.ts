import {Socket} from 'node:net';

const answer = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: 2\r\n\r\n\n\n';

/** A connection to nothing: whatever is written to it is answered with an empty stream of events. */
class StandInSocket extends Socket {
	#isAnswered = false;

	override _read(): void {
		// All that there is to read is pushed by the write.
	}

	override _write(_data: unknown, _encoding: BufferEncoding, done: () => void): void {
		if (!this.#isAnswered) {
			this.#isAnswered = true;
			this.push(answer);
		}

		done();
	}

	override _writev(_parts: unknown, done: () => void): void {
		this._write(undefined, 'utf8', done);
	}
}

/**
 * Connects to nothing, for a request that is sent for practice: the first one of a process takes over ten milliseconds
 * longer, in which undici compiles its parser and V8 the functions on the way. Opens no handle of the system.
 */
export function connectNowhere(_options: unknown, callback: (...result: [null, Socket]) => void): void {
	setImmediate(() => callback(null, new StandInSocket()));
}
