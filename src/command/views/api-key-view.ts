import type {Client} from '../../client/client.ts';
import {originalOf} from '../../contract/lenient.ts';
import {AppError} from '../../core/error.ts';
import {isJsonObject, type Json, type JsonObject} from '../../core/json.ts';
import {looseFields, looseTable} from '../render/loose-table.ts';
import type {Result} from '../result.ts';

/** True for fields that may contain a full key, which a list never shows. */
const isSecret = (name: string) => /^(?:api_?)?(?:key|secret|token)$/i.test(name);

/** Returns the table of API keys. The API doesn't specify the answer: it may be a list, or an object with one. */
export function keyTable(answer: Json): Result {
	const items = keysOf(answer);
	if (!items) {
		throw new AppError('network', 'The server returned no list of API keys.', {
			hint: 'Check the address and the server’s version.',
			permanent: true,
		});
	}

	return looseTable({
		items,
		first: ['id', 'name', 'created_at', 'last_used_at', 'expires_at', 'requests_per_minute'],
		hides: isSecret,
		empty: 'No active API keys. Create one: `api-key create`',
		data: answer,
	});
}

/** Returns the keys in an answer; undefined if it has no list. */
function keysOf(answer: Json): readonly JsonObject[] | undefined {
	const list = isJsonObject(answer) ? Object.values(answer).find(Array.isArray) : answer;
	return Array.isArray(list) ? list.filter(isJsonObject) : undefined;
}

/**
 * Returns a new key with its secret, which can't be shown again. The API doesn't say which field has it, so all fields are
 * shown, those of inner objects too. Throws AppError("network") for an answer without any.
 */
export function createdKey(answer: Json): Result {
	const fields = isJsonObject(answer) ? fieldsIn(answer) : [];
	if (fields.length === 0) {
		throw new AppError('network', 'The server returned no API key.', {
			hint: 'It may have created one. Check `api-key list`, and revoke the key that you don’t have.',
			permanent: true,
		});
	}

	return {
		kind: 'group',
		parts: [
			{
				kind: 'text',
				text: "Created the API key. Copy it now; it won't be shown again.",
				hint: 'Log in with it: `login --with-token`',
			},
			{kind: 'record', fields, data: null},
		],
		data: answer,
	};
}

function fieldsIn(item: JsonObject): ReadonlyArray<readonly [string, string]> {
	const inner = Object.entries(item).flatMap(([name, value]) =>
		isJsonObject(value) ? looseFields(value).map(([label, text]) => [`${name} ${label}`, text] as const) : [],
	);
	return [...looseFields(item), ...inner];
}

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
