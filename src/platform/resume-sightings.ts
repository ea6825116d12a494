import type {Sighting} from '../config/sightings.ts';
import type {OperationId} from '../contract/extensions.ts';
import {entryOf} from '../core/entry-of.ts';
import {isJsonObject, type Json, type JsonObject} from '../core/json.ts';
import {seenIds} from './seen-ids.ts';

/** The server, and when it was asked. */
type Place = Pick<Sighting, 'profile' | 'server' | 'at'>;

/**
 * The fields that are saved for each kind of object; nested objects have a list of their own. Addresses, tokens,
 * instructions and people are left out: they aren't needed to find an object again (SAFETY 8).
 */
type Kept = {readonly [name: string]: true | Kept};

const keptFields: Readonly<Record<Sighting['kind'], Kept>> = {
	session: {
		title: true,
		preview_text: true,
		archived_at: true,
		updated_at: true,
		last_message_at: true,
		usage: {total_cost_usd: true},
	},
	runtime: {
		key: true,
		name: true,
		status: true,
		owned_by_me: true,
		instance: {
			state: true,
			pause_reason: true,
			supports_pause: true,
			expires_at: true,
			actual_runtime_limit_seconds: true,
			configured_runtime_limit_seconds: true,
			configured_runtime_limit_source_level: true,
			requested_runtime_limit_seconds: true,
			requested_runtime_limit_source_level: true,
			runtime_limited_by_credits: true,
			billed_credits: true,
			running_credits: true,
			estimated_total_credits: true,
		},
	},
	environment: {state: true, task_ref: true, created_at: true, expires_at: true},
};

const longest = 200;

/** Returns the sessions, runtimes and environments in the answer of a successful call, with their saved fields. */
export function sightingsOf(
	place: Place,
	operation: OperationId,
	params: Readonly<Record<string, string>>,
	answer: unknown,
): readonly Sighting[] {
	const {org, workspace} = params;
	return seenIds(operation, params, answer).flatMap(({kind, id}) => {
		if (kind !== 'session' && kind !== 'runtime' && kind !== 'environment') {
			return [];
		}

		const object = objectsOf(answer).find(one => one['id'] === id);
		return [{kind, id, ...place, org, workspace, shown: object ? keep(object, keptFields[kind]) : {}}];
	});
}

/** Returns the entries of a list, or the answer itself. */
function objectsOf(answer: unknown): readonly JsonObject[] {
	const items = isJsonObject(answer) ? answer['items'] : undefined;
	return Array.isArray(items) ? items.filter(isJsonObject) : isJsonObject(answer) ? [answer] : [];
}

function keep(value: JsonObject, names: Kept): JsonObject {
	const fields = Object.entries(names).flatMap(([name, kept]): ReadonlyArray<readonly [string, Json]> => {
		const field = entryOf(value, name);
		if (field === undefined) {
			return [];
		}

		return isJsonObject(field) ? (kept === true ? [] : [[name, keep(field, kept)]]) : plain(name, field);
	});
	return Object.fromEntries(fields);
}

function plain(name: string, value: Json): ReadonlyArray<readonly [string, Json]> {
	return Array.isArray(value) ? [] : [[name, typeof value === 'string' ? value.slice(0, longest) : value]];
}
