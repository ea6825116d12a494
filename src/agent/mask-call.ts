import type {Json, JsonObject} from '../core/json.ts';
import {redact} from '../core/secrets/redact.ts';
import {isSecretName, redactPositions} from '../core/secrets/redact-positions.ts';
import {mask} from '../core/secrets/secret.ts';
import {isSecretFile} from './policy/secret-files.ts';

/** Arguments that are command lines or lines of a request: a credential is known by its place in them too. */
const lines: ReadonlySet<string> = new Set(['command', 'url', 'headers']);

/** Arguments with the content of a file, in which any value may be a credential if the name of the file suggests it. */
const contents: ReadonlySet<string> = new Set(['content', 'old_text', 'new_text']);

/**
 * Returns the arguments of a call as they are kept and shown: without credentials that the model wrote (SAFETY 8). The
 * call itself runs with what the user approved. `hide` masks the credentials that are known here.
 */
export function maskArguments(args: JsonObject, hide: (text: string) => string): JsonObject {
	const {path} = args;
	const isSecret = typeof path === 'string' && isSecretFile(path.replaceAll('\\', '/'));
	const masked = (value: Json, key: string, parent: string): Json => {
		if (typeof value === 'string') {
			return textOf(value, key, parent);
		}

		if (Array.isArray(value)) {
			return value.map(item => masked(item, key, parent));
		}

		return typeof value === 'object' && value !== null ? all(value as JsonObject, key) : value;
	};
	const textOf = (text: string, key: string, parent: string) => {
		if (isSecretName(key)) {
			return text && mask;
		}

		const known = hide(text);
		if (key === 'body' || (isSecret && contents.has(key))) {
			return redact(known);
		}

		return lines.has(key) || lines.has(parent) ? redactPositions(known) : known;
	};
	const all = (object: JsonObject, parent: string): JsonObject =>
		Object.fromEntries(Object.entries(object).map(([key, value]) => [hide(key), masked(value, key, parent)]));
	return all(args, '');
}
