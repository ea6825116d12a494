import {fstatSync} from 'node:fs';
import {AppError} from '../core/error.ts';

type Input = NodeJS.ReadableStream & {readonly fd?: number; readonly isTTY?: boolean};

const maxBytes = 16 * 1024 * 1024;
/** How long a pipe may stay silent before a prompt from the command line is sent without it. */
const silenceTimeoutMs = 1500;

/**
 * Reads standard input to its end. With `optional`, a pipe that stays silent is abandoned: a parent process may have left
 * one open without a writer. Returns '' for a terminal. Throws AppError("usage") for too much input.
 */
export async function readInput(
	input: Input,
	{optional, warn}: {readonly optional: boolean; readonly warn: (text: string) => void},
): Promise<string> {
	if (input.isTTY || !isReadable(input.fd ?? 0)) {
		return '';
	}

	const chunks: Buffer[] = [];
	let bytes = 0;
	return new Promise((resolve, reject) => {
		const timer = optional ? setTimeout(giveUp, silenceTimeoutMs) : undefined;

		function giveUp() {
			warn('No data on stdin; continuing with the prompt alone.');
			finish();
		}

		function finish() {
			clearTimeout(timer);
			input.removeAllListeners('data');
			input.pause();
			if ('unref' in input && typeof input.unref === 'function') {
				input.unref();
			}

			resolve(new TextDecoder().decode(Buffer.concat(chunks)));
		}

		input.on('data', (chunk: Buffer | string) => {
			clearTimeout(timer);
			const data = Buffer.from(chunk);
			bytes += data.length;
			if (bytes > maxBytes) {
				reject(
					new AppError('usage', 'stdin is longer than 16 MB.', {
						hint: 'Pipe in less, or let the agent read the file.',
					}),
				);
				input.pause();
				return;
			}

			chunks.push(data);
		});
		input.on('end', finish);
		input.on('error', finish);
	});
}

function isReadable(descriptor: number): boolean {
	try {
		const stats = fstatSync(descriptor);
		return stats.isFIFO() || stats.isFile() || stats.isSocket();
	} catch {
		return false;
	}
}
