/** What a command lacks in the sandbox. */
export type Refusal = 'network' | 'path';

/** The end of an output says what went wrong. */
const maxSearched = 20_000;

const network =
	/EAI_AGAIN|ENETUNREACH|ENETDOWN|Could not resolve host|Temporary failure in name resolution|Name or service not known|network is unreachable|no such host|getaddrinfo|Failed to establish a new connection|Could not resolve hostname|failed to lookup address|Network unavailable|unable to resolve host address/i;
const path = /EROFS|Read-only file system/i;

/** Returns what a failed command seems to lack because of the sandbox; undefined for any other failure. A heuristic. */
export function refusedBySandbox(output: string, status: number | null): Refusal | undefined {
	if (status === 0) {
		return undefined;
	}

	const end = output.slice(-maxSearched);
	return network.test(end) ? 'network' : path.test(end) ? 'path' : undefined;
}
