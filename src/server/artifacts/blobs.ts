/** A range of bytes; both ends count from 0 and are included. */
export type ByteRange = {readonly start: number; readonly end: number};

/** What a store has under a name, and when that was stored. */
export type StoredBlob = {readonly name: string; readonly bytes: number; readonly storedAtMs: number};

/** A store of bytes, each under a name from `objectName`. Stored bytes never change. */
export type Blobs = {
	/**
	 * Stores all of `chunks` or nothing, even after a power failure. Rejects bytes that don't match the SHA-256 (in
	 * hex), and throws what `chunks` throws.
	 */
	readonly put: (
		name: string,
		chunks: AsyncIterable<Uint8Array>,
		sha256: string | undefined,
	) => Promise<'stored' | 'exists'>;
	/** Returns the size in bytes; undefined if nothing has the name. */
	readonly size: (name: string) => Promise<number | undefined>;
	/** Opens all bytes or a range of them; undefined if nothing has the name. */
	readonly open: (name: string, range?: ByteRange) => Promise<ReadableStream<Uint8Array> | undefined>;
	/** Removes what has the name, if anything has. */
	readonly remove: (name: string) => Promise<void>;
	/**
	 * Returns what a folder of names has, in the order of the names and from the one after `after` on: a part of it, and nothing
	 * after the last one. Undefined if the store refuses to list.
	 */
	readonly list: (folder: string, after: string) => Promise<readonly StoredBlob[] | undefined>;
	/** Returns a URL of the store itself for browsers. Without it, they read through this server. */
	readonly presign?: (name: string, link: LinkOptions) => Promise<string>;
};

/** How a browser shows an artifact, and until when. */
export type LinkOptions = {
	readonly contentType: string;
	readonly contentDisposition: string;
	readonly expiresAt: Date;
};
