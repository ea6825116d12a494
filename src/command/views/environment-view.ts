import {type Lenient, originalOf, readLeniently} from '../../contract/lenient.ts';
import {environmentSchema, type TaskEnvironment} from '../../contract/resources/environment.ts';
import {isJsonObject, type Json, type JsonObject} from '../../core/json.ts';
import {mask, type Secret, secret} from '../../core/secrets/secret.ts';
import {maskText} from '../../net/mask-secret.ts';
import {factsPart, inWords, wordsOf} from '../render/facts.ts';
import type {Result} from '../result.ts';

type Options = {
	/** Whether the credential of the sandbox may be seen; `***` stands for it otherwise, in the data too (SAFETY 8). */
	readonly showToken: boolean;
};

/** A task environment as the server said it is at its creation, with what it offers and what is to be done in it. */
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
				shown.task_ref ?? 'Task environment',
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

/** What is said of a service: its address alone where there is no more. */
function said(service: JsonObject): string {
	const {url, ...others} = service;
	const more = Object.entries(others).map(([name, value]) => `${wordsOf(name)} ${inWords(value)}`);
	return [...(url === undefined ? [] : [inWords(url)]), ...more].join(', ') || 'no details';
}

/** Hides the token everywhere: an address or the instruction may contain it. */
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
