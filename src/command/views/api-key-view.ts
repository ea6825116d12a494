import {AppError} from '../../core/error.ts';
import {isJsonObject, type Json, type JsonObject} from '../../core/json.ts';
import {looseFields, looseTable} from '../render/loose-table.ts';
import type {Result} from '../result.ts';

/** Fields that could hold a whole key; a list has no reason to show one. */
const isSecret = (name: string) => /^(?:api_?)?(?:key|secret|token)$/i.test(name);

/** The keys of a list. The API does not show its shape: it may be a list, or an object that holds one. */
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
		first: ['id', 'name', 'created_at', 'last_used_at', 'expires_at'],
		hides: isSecret,
		empty: 'No active API keys.',
		data: answer,
	});
}

/** Returns the keys in an answer; undefined where it holds no list. */
export function keysOf(answer: Json): readonly JsonObject[] | undefined {
	const list = isJsonObject(answer) ? Object.values(answer).find(Array.isArray) : answer;
	return Array.isArray(list) ? list.filter(isJsonObject) : undefined;
}

/**
 * A key that was just made, secret and all: nobody can show it again. The API does not say which field holds it, so all
 * of them are shown, also those of objects inside.
 */
export function createdKey(answer: Json): Result {
	const fields = isJsonObject(answer) ? fieldsIn(answer) : [];
	return {
		kind: 'group',
		parts: [
			{
				kind: 'text',
				text: "Created the API key. Copy it now; it won't be shown again.",
				hint: 'Log in with it: `login --with-token`',
			},
			fields.length > 0
				? {kind: 'record', fields, data: null}
				: {kind: 'text', text: 'The server returned no details of the key.', hint: 'Find its id: `api-key list`'},
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
