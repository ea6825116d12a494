import type {Lenient} from '../../contract/lenient.ts';
import type {Artifact} from '../../contract/resources/artifact.ts';
import {AppError} from '../../core/error.ts';
import {formatBytes} from '../../core/format.ts';
import {isLoopback, parseServerUrl} from '../../core/origin.ts';
import {readText} from '../../net/read-body.ts';
import type {Transport} from '../../net/transport.ts';

type Options = {
	/** Sends no credential: the URL is signed. */
	readonly transport: Transport;
	readonly signal: AbortSignal;
	/** Shows the progress on one line; '' removes it. */
	readonly progress?: ((text: string) => void) | undefined;
	/** A clock in milliseconds. */
	readonly now?: () => number;
};

/** Shorter downloads show no progress. */
const silentWaitMs = 300;
/** The line changes at most this often. */
const updateIntervalMs = 100;
/** The most bytes if the server doesn't say the size. */
const maxUnknownBytes = 4 * 1024 ** 3;

/**
 * Yields the bytes of a resolved reference, requested on first use. Throws AppError("failed") if its URL is missing, or
 * neither https nor on this machine; AppError("network") if the storage refuses, or the size differs from the reference.
 */
export async function* readArtifact(artifact: Lenient<Artifact>, options: Options): AsyncGenerator<Uint8Array> {
	const {transport, signal} = options;
	// The reference counts the uncompressed bytes.
	const headers = {'accept-encoding': 'identity'};
	const response = await transport({method: 'GET', url: addressOf(artifact.url), headers, signal});
	if (response.status !== 200) {
		await readText(response, {maxBytes: 64 * 1024}).catch(() => undefined);
		signal.throwIfAborted();
		throw new AppError('network', `The artifact’s storage responded with ${response.status}.`, {
			hint: 'Run the command again: the download URL may have expired.',
		});
	}

	yield* counted(response.body, artifact.size_bytes, options);
}

function addressOf(text: string | undefined): string {
	const url = text !== undefined && URL.canParse(text) ? new URL(text) : undefined;
	if (!url) {
		throw new AppError('failed', 'The server returned no address for the artifact.', {
			hint: 'Show the response with --json.',
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
	const most = size ?? maxUnknownBytes;
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
			if (progress && time >= silentWaitMs && (said === 0 || time - said >= updateIntervalMs)) {
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
	return size ? ` of ${formatBytes(size)}, ${Math.floor((bytes / size) * 100)}%` : '';
}

/**
 * Returns a safe file name for the working folder: the last part of the server's name, without characters that a shell, a
 * terminal or a file system interprets, and never hidden.
 */
export function fileNameOf({filename, oid}: Lenient<Artifact>): string {
	const names = [filename, oid].map(name =>
		(name ?? '')
			.replace(/^.*[/\\]/s, '')
			.replace(/[^\p{L}\p{N}._ +-]/gu, '_')
			.replace(/^[. -]+|[. ]+$/g, '')
			.slice(0, 100),
	);
	// Windows opens devices by these names, with any extension.
	const isDevice = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;
	return names.find(name => name && !isDevice.test(name)) ?? 'artifact';
}
