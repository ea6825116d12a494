import type {Client} from '../../client/client.ts';
import {originalOf} from '../../contract/lenient.ts';
import {AppError} from '../../core/error.ts';
import type {JsonObject} from '../../core/json.ts';
import {keysOf} from './api-key-view.ts';

/** Returns the active keys as the server lists them; none if it can't, because a key can be revoked without the list. */
export async function loadKeys(client: Client, signal: AbortSignal): Promise<readonly JsonObject[]> {
	try {
		return keysOf(originalOf(await client.listApiKeys({}, signal))) ?? [];
	} catch (error) {
		if (error instanceof AppError) {
			return [];
		}

		throw error;
	}
}

const mostNamed = 3;

/** Returns a sentence about the keys that are revoked with this one, if the server says which key created which. */
export function endsWith(keys: readonly JsonObject[], id: string): readonly string[] {
	const family = new Set([id.toLowerCase()]);
	for (let size = 0; size < family.size; ) {
		size = family.size;
		for (const key of keys) {
			if (typeof key['id'] === 'string' && family.has(String(key['created_with']))) {
				family.add(key['id']);
			}
		}
	}

	const others = keys.filter(key => key['id'] !== id.toLowerCase() && family.has(String(key['id'])));
	const named = others.slice(0, mostNamed).map(({name, prefix, id: own}) => String(name || prefix || own));
	const names = [...named, ...(others.length > mostNamed ? [`${others.length - mostNamed} more`] : [])];
	return others.length > 0
		? [`It also ends the keys created with it: ${new Intl.ListFormat('en').format(names)}.`]
		: [];
}
