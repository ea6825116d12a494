import {Duplex} from 'node:stream';
import * as z from 'zod/mini';
import {AppError} from '../../../core/error.ts';
import {parseJson} from '../../../core/json.ts';
import type {ClusterClient} from './cluster-client.ts';
import {createFrameReader, encodeFrame, opcodes} from './websocket-frames.ts';

/** The first byte of each message says what it carries (kubelet’s remote command, version 4; 255 since version 5). */
const channels = {input: 0, output: 1, errors: 2, status: 3, close: 255} as const;

const protocols = ['v5.channel.k8s.io', 'v4.channel.k8s.io'];

/** Bytes of input in a message. */
const pieceBytes = 32 * 1024;

/** A program in a container: its input, and its output. The stream ends after the status is known. */
export type PodProgram = {
	readonly stream: Duplex;
	/** Resolves to the status of its end; null if the connection broke before. Never rejects. */
	readonly ended: Promise<number | null>;
	/** Whether the end of the input can be told. In version 4 of the protocol it can't. */
	readonly hasEndOfInput: boolean;
};

/** Starts a program in a container of a pod. Throws AppError if it can't. */
export async function startProgram(
	client: ClusterClient,
	pod: string,
	{container, command, hasInput = false}: {container: string; command: readonly string[]; hasInput?: boolean},
): Promise<PodProgram> {
	const query = new URLSearchParams({
		container,
		stdin: String(hasInput),
		stdout: 'true',
		stderr: 'false',
		tty: 'false',
	});
	for (const word of command) {
		query.append('command', word);
	}

	const {socket, protocol} = await client.connect(
		{method: 'GET', resource: 'pods', name: pod, part: 'exec', query},
		protocols,
	);
	if (!protocols.includes(protocol)) {
		socket.destroy();
		throw new AppError('network', `Kubernetes at ${client.address} speaks no protocol for programs that we know.`);
	}

	const hasEndOfInput = protocol === protocols[0];
	let status: number | null = null;
	const frames = createFrameReader();
	const stream = new Duplex({
		allowHalfOpen: true,
		read: () => void socket.resume(),
		write(part: Buffer, _encoding, done) {
			for (let at = 0; at < part.length; at += pieceBytes) {
				const isLast = at + pieceBytes >= part.length;
				const frame = encodeFrame(opcodes.binary, [Buffer.of(channels.input), part.subarray(at, at + pieceBytes)]);
				socket.write(frame, isLast ? done : undefined);
			}

			if (part.length === 0) {
				done();
			}
		},
		final(done) {
			if (hasEndOfInput) {
				socket.write(encodeFrame(opcodes.binary, [Buffer.of(channels.close, channels.input)]), () => done());
			} else {
				done();
			}
		},
		destroy(error, done) {
			socket.destroy();
			done(error);
		},
	});
	const take = (opcode: number, payload: Buffer) => {
		if (opcode === opcodes.ping) {
			socket.write(encodeFrame(opcodes.pong, [payload]));
		} else if (opcode === opcodes.close) {
			socket.end(encodeFrame(opcodes.close, []));
		} else if (payload[0] === channels.output && !stream.push(payload.subarray(1))) {
			// Who reads too slowly lets the cluster wait.
			socket.pause();
		} else if (payload[0] === channels.status) {
			status = statusIn(payload.subarray(1).toString('utf8'));
		}
	};
	socket.on('data', (part: Buffer) => {
		try {
			for (const {opcode, payload} of frames(part)) {
				if (payload.length > 1 || payload[0] !== channels.output) {
					take(opcode, payload);
				}
			}
		} catch (error) {
			stream.destroy(error as Error);
		}
	});
	const ended = new Promise<number | null>(resolve => {
		const end = () => {
			stream.push(null);
			resolve(status);
		};
		socket.once('end', end).once('close', end);
	});
	socket.on('error', () => stream.push(null));
	return {stream, ended, hasEndOfInput};
}

/** `Status` at the end of a program. */
const endSchema = z.object({
	status: z.string(),
	reason: z.optional(z.string()),
	details: z.optional(
		z.object({
			causes: z.optional(z.array(z.object({reason: z.optional(z.string()), message: z.optional(z.string())}))),
		}),
	),
});

/** Returns the status that a program ended with; 127 if it couldn’t be started; null for anything else. */
function statusIn(text: string): number | null {
	const {data} = endSchema.safeParse(parseJson(text));
	if (!data) {
		return null;
	}

	const cause = data.details?.causes?.find(({reason}) => reason === 'ExitCode');
	return data.status === 'Success' ? 0 : cause?.message === undefined ? 127 : Number(cause.message);
}
