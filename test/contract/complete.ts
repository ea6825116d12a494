import type * as z from 'zod/mini';
import type {Endpoint} from '../../src/contract/endpoint.ts';
import {operations} from '../../src/contract/extensions.ts';
import {missingFields} from '../../src/contract/lenient.ts';
import {matchPath} from '../../src/contract/path.ts';
import {isJsonObject, type Json} from '../../src/core/json.ts';

/** Returns an answer with the required fields that it lacks: null where that is allowed, the plainest value elsewhere. */
function complete(schema: z.core.$ZodType, value: object): object {
	const {def} = (schema as z.core.$ZodTypes)._zod;
	const missing = missingFields(schema, value);
	return def.type === 'object'
		? {...value, ...Object.fromEntries(missing.map(name => [name, plainest(def.shape[name])]))}
		: value;
}

/** The same for what a server answers to `method` and `path`. */
export function completeAnswer(method: string, path: string, json: unknown): unknown {
	const row = Object.values<Endpoint>(operations).find(each => each.method === method && matchPath(each.path, path));
	return row?.result && isJsonObject(json) ? complete(row.result, json) : json;
}

function plainest(type: z.core.$ZodType | undefined): Json {
	const {def} = (type as z.core.$ZodTypes)._zod;
	switch (def.type) {
		case 'number':
			return 0;
		case 'boolean':
			return false;
		case 'array':
			return [];
		case 'record':
			return {};
		case 'enum':
			return String(Object.values(def.entries)[0]);
		case 'object':
			return Object.fromEntries(Object.entries(def.shape).map(([name, inner]) => [name, plainest(inner)]));
		case 'string':
			return '-';
		default:
			return null;
	}
}
