import {createHash, randomBytes} from 'node:crypto';
import {open, unlink} from 'node:fs/promises';
import {join} from 'node:path';
import {errnoOf} from '../../storage/file-error.ts';
import {reject} from '../kit/http-error.ts';

/** A file with all bytes of an upload. The caller moves or removes it. */
export type SpooledFile = {readonly path: string; readonly size: number; readonly sha256: string};

/**
 * Writes bytes to a new file of mode 0600, and resolves once they are on disk. Rejects with 400 if they don't match the
 * expected SHA-256 (in hex). Removes the file if it throws.
 */
export async function spool(
	folder: string,
	chunks: AsyncIterable<Uint8Array>,
	expected: string | undefined,
): Promise<SpooledFile> {
	const path = join(folder, `${Date.now()}-${randomBytes(8).toString('hex')}.tmp`);
	const file = await asStoreError(open(path, 'wx', 0o600));
	try {
		const hash = createHash('sha256');
		let size = 0;
		for await (const chunk of chunks) {
			hash.update(chunk);
			size += chunk.length;
			await asStoreError(file.writeFile(chunk));
		}

		const sha256 = hash.digest('hex');
		if (expected !== undefined && sha256 !== expected) {
			reject(400, `The oid of these bytes is sha256:${sha256}.`);
		}

		await asStoreError(file.sync());
		await file.close();
		return {path, size, sha256};
	} catch (error) {
		await file.close().catch(() => undefined);
		await unlink(path).catch(() => undefined);
		throw error;
	}
}

/** Rejects with 502 if the disk fails, because the client can't fix that. */
export async function asStoreError<Result>(work: Promise<Result>): Promise<Result> {
	try {
		return await work;
	} catch (error) {
		const code = errnoOf(error);
		return code === undefined
			? Promise.reject(error)
			: reject(502, `The disk of the artifacts cannot be used: ${code}.`, {
					type: 'object_store_error',
				});
	}
}
