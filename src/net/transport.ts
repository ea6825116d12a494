/** A request. `url` is absolute; only the transport adds credentials. */
export type TransportRequest = {
	readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
	readonly url: string;
	readonly headers?: Readonly<Record<string, string>>;
	readonly body?: string | Uint8Array;
	readonly signal?: AbortSignal;
	/** How long status and headers may take; the transport's default if undefined. */
	readonly headersTimeoutMs?: number;
	/** How long the response body may pause; the transport's default if undefined. */
	readonly idleTimeoutMs?: number;
};

export type TransportResponse = {
	readonly status: number;
	/** Header names in lower case. */
	readonly headers: Readonly<Record<string, string>>;
	readonly body: AsyncIterable<Uint8Array>;
};

/**
 * Sends one request. Returns the response, whatever its status; throws AppError("network") if there is none. The caller must
 * read the body or end its iterator, or the connection stays in use.
 */
export type Transport = (request: TransportRequest) => Promise<TransportResponse>;

/** A transport that can connect ahead. */
export type WarmTransport = Transport & {
	/**
	 * Opens a connection to the host of a URL, with TLS, so that the next request need not wait for it. Sends nothing.
	 * Throws as a request does for an address that may not be used.
	 */
	readonly warm?: (url: string) => Promise<void>;
};
