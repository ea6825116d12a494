import type {McpServer} from '../../config/mcp/mcp-file.ts';
import {isSecretName} from '../../core/secrets/redact-positions.ts';
import {looksRandom} from '../../core/secrets/value-mask.ts';

/** Returns the credentials that stand in the entry of a server itself: those of its headers, its variables and its URL. */
export function credentialsIn(server: McpServer): readonly string[] {
	const values = Object.entries(server.type === 'http' ? server.headers : server.env);
	const own = values.filter(([name, value]) => isSecretName(name) || looksRandom(value)).map(([, value]) => value);
	const addresses = [...values.map(([, value]) => value), ...(server.type === 'http' ? [server.url] : [])];
	return [...own.flatMap(withoutScheme), ...addresses.flatMap(inAddress)];
}

/** Returns a credential, and what of it stands behind the scheme of HTTP authentication (RFC 9110, 11.4): servers repeat either. */
function withoutScheme(value: string): readonly string[] {
	const [, bare] = /^[A-Za-z][\w-]* +(\S+)$/.exec(value) ?? [];
	return bare === undefined ? [value] : [value, bare];
}

/** Returns the password of a URL, and the parameters of its query that have the name of a secret. */
function inAddress(value: string): readonly string[] {
	if (!URL.canParse(value)) {
		return [];
	}

	const {password, searchParams} = new URL(value);
	const parameters = [...searchParams].filter(([name]) => isSecretName(name)).map(([, parameter]) => parameter);
	return [password, ...parameters].filter(Boolean);
}
