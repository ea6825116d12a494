/** Where a tail stands: what the answer before said, as far as its server says such things. */
export type LogCursor = {
	/** Offset in bytes, just after what was read; only where the server gave one. */
	readonly after?: number | undefined;
	/** Tag of the answer to the same request. */
	readonly etag?: string | undefined;
};

export type LogAnswer =
	| {readonly kind: 'unchanged'}
	| {
			readonly kind: 'window';
			readonly text: string;
			readonly etag?: string | undefined;
			/** Offset just after the last byte of `text`. */
			readonly offset?: number | undefined;
			/** Offset of its first byte. */
			readonly start?: number | undefined;
	  };

/**
 * Asks for the log of one environment of one server, to which it is bound for good, so that a tail never mixes lines of
 * two. One request, without a retry of its own. Throws `AppError`: `auth`, `not-found`, `network` for what may go away
 * by itself (with `retryAfter` where the server asked for a wait), and others; an `AbortError` once `signal` is aborted.
 */
export type LogSource = (cursor: LogCursor, signal: AbortSignal) => Promise<LogAnswer>;
