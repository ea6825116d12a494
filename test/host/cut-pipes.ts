import {PassThrough, Transform} from 'node:stream';
import type {Pipes} from '../../src/link/json-lines.ts';

/** Where the next connection is cut: after so many bytes in one direction. */
export type Cut = {readonly direction: 'in' | 'out'; bytes: number};

/** Returns pipes that end both ways at the byte of the first of these cuts, as a network does, and removes it from them. */
export function cutAt({input, output}: Pipes, planned: Cut[]): Pipes {
	let hasEnded = false;
	const end = () => {
		input.destroy();
		output.destroy();
		received.destroy();
	};
	const count = (direction: Cut['direction'], chunk: Buffer): Buffer => {
		const [cut] = planned;
		if (hasEnded || cut?.direction !== direction) {
			return hasEnded ? chunk.subarray(0, 0) : chunk;
		}

		const part = chunk.subarray(0, cut.bytes);
		cut.bytes -= part.length;
		if (part.length < chunk.length) {
			hasEnded = true;
			planned.shift();
			setImmediate(end);
		}

		return part;
	};
	const received = new PassThrough();
	const sent = new Transform({
		final(done) {
			output.end();
			done();
		},
		transform(chunk: Buffer, _encoding, done) {
			output.write(count('out', chunk));
			done();
		},
	});
	input.on('data', (chunk: Buffer) => {
		received.write(count('in', chunk));
	});
	input.on('error', () => undefined).on('close', () => received.destroy());
	output.on('error', () => undefined);
	return {input: received, output: sent};
}
