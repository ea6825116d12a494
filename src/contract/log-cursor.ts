/** The position of a tail in a log, from the previous response. Its parts are sent only if the server returned them. */
export type LogCursor = {
	/** Offset in bytes, just after the last byte read. */
	readonly after?: number | undefined;
	/** ETag of the response to the same request. */
	readonly etag?: string | undefined;
};

/** The state of an environment that has ended, as `torn_down`: its log stays as it is. Undefined while it may grow. */
type End = {readonly ended?: string | undefined};

export type LogAnswer =
	| (End & {readonly kind: 'unchanged'})
	| (End & {
			readonly kind: 'window';
			readonly text: string;
			readonly etag?: string | undefined;
			/** Offset just after the last byte of `text`. */
			readonly offset?: number | undefined;
			/** Offset of its first byte. */
			readonly start?: number | undefined;
	  });

/**
 * Requests the log of one environment of one server, so that a tail never mixes lines of two. Sends one request and
 * doesn't retry. Throws `AppError`: `auth`, `not-found`, `network` for a failure that may pass (with `retryAfter` if the
 * server asked for a wait), and others. Throws an `AbortError` once `signal` is aborted.
 */
export type LogSource = (cursor: LogCursor, signal: AbortSignal) => Promise<LogAnswer>;
