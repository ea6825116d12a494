/** A request as it goes out. `url` is absolute; credentials are attached by the transport, never by its caller. */
export type TransportRequest = {
	readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
	readonly url: string;
	readonly headers?: Readonly<Record<string, string>>;
	readonly body?: string | Uint8Array;
	readonly signal?: AbortSignal;
	/** Longest wait for the status and headers in milliseconds; the transport's default otherwise. */
	readonly headersTimeoutMs?: number;
	/** Longest silence of the response body in milliseconds; the transport's default otherwise. */
	readonly idleTimeoutMs?: number;
};

export type TransportResponse = {
	readonly status: number;
	/** Header names in lower case. */
	readonly headers: Readonly<Record<string, string>>;
	readonly body: AsyncIterable<Uint8Array>;
};

/**
 * Sends one request. The body must be read or its iterator ended, or its connection stays taken. Returns every answer that
 * came, whatever its status; throws `AppError` (`network`) where none came.
 */
export type Transport = (request: TransportRequest) => Promise<TransportResponse>;
