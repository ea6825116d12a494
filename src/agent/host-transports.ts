import {AppError} from '../core/error.ts';
import type {ModelProvider} from '../core/model.ts';
import {originOf} from '../core/origin.ts';
import type {Secret} from '../core/secrets/secret.ts';
import type {Credential} from '../net/credential.ts';
import type {WarmTransport} from '../net/transport.ts';

/** Where a provider's requests go, the API key that may go there, and the variable that the key is from. */
export type Host = {readonly baseUrl: string; readonly key: Secret | undefined; readonly variable?: string};

export type CreateTransport = (credential: Credential | undefined) => Promise<WarmTransport>;

/** Opens a transport to a host, with its key in the header of this kind. */
export type OpenTransport = (host: Host, kind: Credential['kind']) => Promise<WarmTransport>;

/**
 * Returns a function that opens a transport to a host. A host keeps its transport, and so its connections, until its key
 * changes.
 */
export function createHostTransports(createTransport: CreateTransport): OpenTransport {
	const opened = new Map<string, {readonly key: Secret | undefined; readonly transport: Promise<WarmTransport>}>();
	return ({baseUrl, key}, kind) => {
		// Several providers may share one gateway, each with a header of its own.
		const name = `${kind} ${baseUrl}`;
		const known = opened.get(name);
		if (known && isSame(known.key, key)) {
			return known.transport;
		}

		const transport = createTransport(key && {origin: originOf(baseUrl), kind, secret: key});
		opened.set(name, {key, transport});
		// After a failure the next call tries again.
		transport.catch(() => opened.delete(name));
		return transport;
	};
}

function isSame(a: Secret | undefined, b: Secret | undefined): boolean {
	return a && b ? a.equals(b) : a === b;
}

/**
 * Returns the error of a request. If the host rejected a key that is from a variable, its hint names the variable, because a
 * stored key isn't used while that is set; if it got no key, the error says that it asks for one. Any other error stays.
 */
export function explainKey(
	error: unknown,
	provider: ModelProvider,
	{variable, key}: Pick<Host, 'variable' | 'key'>,
): unknown {
	if (!(error instanceof AppError && error.badKey && (variable || !key))) {
		return error;
	}

	const {code, cause} = error;
	if (!key) {
		const message = error.message.replace(/ rejected the key \((\d+)\)/, ' asks for an API key ($1)');
		return new AppError(code, message, {
			cause,
			hint: `Store it: \`keys set ${provider} --base-url <address>\``,
			badKey: true,
		});
	}

	return new AppError(code, error.message, {
		cause,
		hint: `The key is from ${variable}. Correct it, or unset it and run \`keys set ${provider}\`.`,
		badKey: true,
	});
}
