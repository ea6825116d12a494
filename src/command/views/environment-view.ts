import {type Lenient, originalOf, readLeniently} from '../../contract/lenient.ts';
import {environmentSchema, isOver, type TaskEnvironment} from '../../contract/resources/environment.ts';
import {formatAmount, formatRemaining} from '../../core/format.ts';
import {isJsonObject, type Json, type JsonObject} from '../../core/json.ts';
import {mask, type Secret, secret} from '../../core/secrets/secret.ts';
import {maskText} from '../../net/mask-secret.ts';
import {facts, factsPart, inWords, stateWords, wordsOf} from '../render/facts.ts';
import type {Result} from '../result.ts';

type Options = {
	/** Shows the credential of the sandbox; otherwise it is `***`, in the data too (SAFETY 8). */
	readonly showToken: boolean;
	/** True to show the id in full. */
	readonly exact?: boolean;
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
				isOver(shown.state) ? 'Services (ended with the sandbox)' : 'Services',
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

/** Rows of a card between its title and its last line. */
const cardRows = 4;

/**
 * Returns a new task environment in at most six lines, without its instruction, which is offered for the prompt.
 * `now` is in milliseconds since the epoch.
 */
export function environmentCard(
	environment: Lenient<TaskEnvironment>,
	{showToken, exact = false}: Options,
	now: number,
): Result {
	const data = showToken ? originalOf(environment) : withoutToken(originalOf(environment));
	const {id, state, error, ...shown} = readLeniently(environmentSchema, data) ?? {};
	const known = facts([
		['sandbox', exact ? id : id?.slice(0, idLength)],
		['expires', shown.expires_at && untilText(shown.expires_at, now)],
		['error', error],
		['execute token', showToken ? shown.execute_token : undefined],
	]);
	const services = Object.entries(shown.service_urls ?? {}) as ReadonlyArray<readonly [string, JsonObject]>;
	const urls = services.slice(0, cardRows - known.length).map(([name, {url}]) => [name, inWords(url)] as const);
	const details = [
		'Task',
		...(shown.task_verification ? ['verification'] : []),
		...(services.length > urls.length ? [formatAmount(services.length - urls.length, 'more service')] : []),
	].join(', ');
	return {
		kind: 'group',
		isDense: true,
		parts: [
			factsPart([...known, ...urls], [shown.task_ref ?? 'Sandbox', stateWords(state)].filter(Boolean).join(' · ')),
			...(id ? [{kind: 'text', text: '', hint: `${details}: \`env show ${id.slice(0, idLength)}\``} as const] : []),
		],
		data,
	};
}

/** As many characters of an id as a command needs. */
const idLength = 8;

function untilText(expiresAt: string, now: number): string {
	const leftMs = Date.parse(expiresAt) - now;
	return leftMs > 0 ? `in ${formatRemaining(leftMs)} (${minuteOf(expiresAt)} UTC)` : expiresAt;
}

function minuteOf(time: string): string {
	return new Date(time).toISOString().slice(0, 16).replace('T', ' ');
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
