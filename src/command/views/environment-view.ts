import {type Lenient, originalOf, readLeniently} from '../../contract/lenient.ts';
import {environmentSchema, type TaskEnvironment} from '../../contract/resources/environment.ts';
import {isJsonObject, type Json, type JsonObject} from '../../core/json.ts';
import {mask, type Secret, secret} from '../../core/secrets/secret.ts';
import {maskText} from '../../net/mask-secret.ts';
import {factsPart, inWords, wordsOf} from '../render/facts.ts';
import type {Result} from '../result.ts';

type Options = {
	/** Shows the credential of the sandbox; otherwise it is `***`, in the data too (SAFETY 8). */
	readonly showToken: boolean;
};

/** Returns a task environment with its services, verification and instruction. */
export function environmentResult(environment: Lenient<TaskEnvironment>, {showToken}: Options): Result {
	const data = showToken ? originalOf(environment) : withoutToken(originalOf(environment));
	const shown = readLeniently(environmentSchema, data) ?? {};
	const token = shown.execute_token;
	const services = Object.entries(shown.service_urls ?? {}) as ReadonlyArray<readonly [string, JsonObject]>;
	return {
		kind: 'group',
		parts: [
			factsPart(
				[
					['state', shown.state],
					['environment', shown.id],
					['created', shown.created_at],
					['expires', shown.expires_at ?? 'not set'],
					['error', shown.error],
					['execute token', token && (showToken ? token : `${token} (create with --show-token to see it)`)],
				],
				shown.task_ref ?? 'Sandbox',
			),
			...records(
				'Services',
				services.map(([name, service]) => [name, said(service)]),
			),
			...records(
				'Verification',
				Object.entries(shown.task_verification ?? {}).map(([name, value]) => [name, inWords(value as Json)]),
			),
			...(shown.instruction ? [{kind: 'text', text: `Instruction\n${shown.instruction}`} as const] : []),
		],
		data,
	};
}

function records(title: string, fields: ReadonlyArray<readonly [string, string]>): readonly Result[] {
	return fields.length > 0 ? [{kind: 'record', title, fields, data: null}] : [];
}

/** Returns the URL of a service with its other fields. */
function said(service: JsonObject): string {
	const {url, ...others} = service;
	const more = Object.entries(others).map(([name, value]) => `${wordsOf(name)} ${inWords(value)}`);
	return [...(url === undefined ? [] : [inWords(url)]), ...more].join(', ') || 'no details';
}

/** Hides the token everywhere: a URL or the instruction may contain it. */
export function withoutToken(environment: Json): Json {
	const token = isJsonObject(environment) ? environment['execute_token'] : undefined;
	if (!isJsonObject(environment) || token === undefined || token === null || token === '') {
		return environment;
	}

	const hidden = typeof token === 'string' ? maskIn(environment, secret(token)) : environment;
	return {...(isJsonObject(hidden) ? hidden : {}), execute_token: mask};
}

function maskIn(value: Json, token: Secret): Json {
	if (typeof value === 'string') {
		return maskText(value, token);
	}

	if (Array.isArray(value)) {
		return value.map(item => maskIn(item, token));
	}

	return isJsonObject(value)
		? Object.fromEntries(Object.entries(value).map(([name, item]) => [maskText(name, token), maskIn(item, token)]))
		: value;
}
