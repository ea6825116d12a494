/** Bytes from the first to the last of them, both counted from 0 and included. */
export type Range = {readonly start: number; readonly end: number};

/** Where bytes are kept, each under a name that `objectName` made. What is stored is never changed. */
export type Blobs = {
	/**
	 * Stores all of `chunks` or nothing of them, also after a power cut. Refuses bytes that have not the SHA-256 that is
	 * given in hex, and what the store has no room for. Throws what `chunks` throws.
	 */
	readonly put: (
		name: string,
		chunks: AsyncIterable<Uint8Array>,
		sha256: string | undefined,
	) => Promise<'stored' | 'exists'>;
	/** In bytes; undefined where there is nothing under the name. */
	readonly size: (name: string) => Promise<number | undefined>;
	/** All of the bytes or a part that lies within them; undefined where there is nothing under the name. */
	readonly open: (name: string, range?: Range) => Promise<ReadableStream<Uint8Array> | undefined>;
	/** A URL of the store itself where a browser may read the bytes; a store without one is read through this server. */
	readonly presign?: (name: string, shown: Shown) => Promise<string>;
};

/** How a browser is to take the bytes, and how long. */
export type Shown = {
	readonly contentType: string;
	readonly contentDisposition: string;
	readonly expiresAt: Date;
};
