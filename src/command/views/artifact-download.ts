import type {Lenient} from '../../contract/lenient.ts';
import type {Artifact} from '../../contract/resources/artifact.ts';
import {AppError} from '../../core/error.ts';
import {formatBytes} from '../../core/format.ts';
import {isLoopback, parseServerUrl} from '../../core/origin.ts';
import {readText} from '../../net/read-body.ts';
import type {Transport} from '../../net/transport.ts';

type Options = {
	/** Attaches no credential: the address carries its own permission. */
	readonly transport: Transport;
	readonly signal: AbortSignal;
	/** One line about how far it is; '' at the end. */
	readonly progress?: ((text: string) => void) | undefined;
	/** Milliseconds from any beginning. */
	readonly now?: () => number;
};

/** Quick downloads say nothing, in milliseconds; and a line that changes more often cannot be read. */
const patience = 300;
const pace = 100;
/** Most bytes where the server did not say how many there are. */
const mostUnknown = 4 * 1024 ** 3;

/**
 * The bytes that a resolved reference points to; nothing is asked for before the first one is wanted. Throws `failed` for
 * a reference without an address or with one that is neither https nor this machine, `network` where the storage refuses
 * or the bytes are not as many as the reference says.
 */
export async function* readArtifact(artifact: Lenient<Artifact>, options: Options): AsyncGenerator<Uint8Array> {
	const {transport, signal} = options;
	// Compressed on the way, the bytes would not be those that the reference counts.
	const headers = {'accept-encoding': 'identity'};
	const response = await transport({method: 'GET', url: addressOf(artifact.url), headers, signal});
	if (response.status !== 200) {
		await readText(response, {maxBytes: 64 * 1024}).catch(() => undefined);
		signal.throwIfAborted();
		throw new AppError('network', `The storage of the artifact answered ${response.status}.`, {
			hint: 'Run the command again: its address may have expired.',
		});
	}

	yield* counted(response.body, artifact.size_bytes, options);
}

function addressOf(text: string | undefined): string {
	const url = text !== undefined && URL.canParse(text) ? new URL(text) : undefined;
	if (!url) {
		throw new AppError('failed', 'The server returned no address for the artifact.', {
			hint: 'See its answer with --json.',
		});
	}

	const isSafe = url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url));
	if (!isSafe) {
		throw new AppError('failed', `The artifact is at ${url.protocol}//${url.host}, which isn't allowed.`, {
			hint: 'Plain http works on this machine only; ask for an https address.',
		});
	}

	return parseServerUrl(url.href).href;
}

async function* counted(
	body: AsyncIterable<Uint8Array>,
	size: number | undefined,
	{progress, now = performance.now.bind(performance)}: Options,
): AsyncGenerator<Uint8Array> {
	const most = size ?? mostUnknown;
	const begun = now();
	let said = 0;
	let bytes = 0;
	try {
		for await (const chunk of body) {
			bytes += chunk.length;
			if (bytes > most) {
				throw new AppError('network', `The artifact is larger than the ${formatBytes(most)} limit.`, {
					hint: 'Nothing was saved; tell the server’s administrator.',
				});
			}

			yield chunk;
			const time = now() - begun;
			if (progress && time >= patience && (said === 0 || time - said >= pace)) {
				said = time;
				progress(`Saving: ${formatBytes(bytes)}${shareOf(bytes, size)}`);
			}
		}
	} finally {
		if (said > 0) {
			progress?.('');
		}
	}

	if (size !== undefined && bytes !== size) {
		throw new AppError('network', `The download stopped after ${bytes} of ${size} bytes.`, {
			hint: 'Nothing was saved. Run the command again.',
		});
	}
}

function shareOf(bytes: number, size: number | undefined): string {
	return size ? ` of ${formatBytes(size)}, ${Math.floor((bytes / size) * 100)} %` : '';
}

/**
 * A file name in the working folder for a name that a server gave: its last part, without what a shell, a terminal or a
 * file system would take for more than letters, and never hidden.
 */
export function fileNameOf({filename, oid}: Lenient<Artifact>): string {
	const names = [filename, oid].map(name =>
		(name ?? '')
			.replace(/^.*[/\\]/s, '')
			.replace(/[^\p{L}\p{N}._ +-]/gu, '_')
			.replace(/^[. -]+|[. ]+$/g, '')
			.slice(0, 100),
	);
	// Windows opens devices by these names, whatever follows the point.
	const isDevice = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;
	return names.find(name => name && !isDevice.test(name)) ?? 'artifact';
}
