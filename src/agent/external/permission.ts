import {readlink, realpath} from 'node:fs/promises';
import {basename, dirname, isAbsolute, join, resolve} from 'node:path';
import {cutText} from '../../core/cut-text.ts';
import {entryOf} from '../../core/entry-of.ts';
import {isJsonObject, type JsonObject} from '../../core/json.ts';
import type {Act, Approval} from '../../core/session/approval.ts';
import type {PermissionOutcome} from './agent-connection.ts';
import {listIn, textIn} from './read-value.ts';
import {type ExternalCall, exactChangeIn, pathsOf, wordsOf} from './update-events.ts';

type Kind = 'allow_once' | 'allow_always' | 'reject_once' | 'reject_always';

/** The answers that an agent offers, by what each means: never by its place or its name. */
export type Offer = Readonly<Partial<Record<Kind, {readonly optionId: string; readonly name: string}>>>;

const kinds: readonly string[] = ['allow_once', 'allow_always', 'reject_once', 'reject_always'];

/** Reads what an agent offers. An answer of an unknown kind isn't there; of two of one kind, the first one counts. */
export function offerIn(params: JsonObject): Offer {
	const offer: Partial<Record<Kind, {optionId: string; name: string}>> = {};
	const ids = new Set<string>();
	for (const option of listIn(params, 'options')) {
		const {optionId, kind} = option;
		if (typeof optionId !== 'string' || typeof kind !== 'string' || !kinds.includes(kind)) {
			continue;
		}

		if (ids.has(optionId)) {
			// What means two things means neither.
			return {};
		}

		ids.add(optionId);
		offer[kind as Kind] ??= {optionId, name: textIn(option, 'name') ?? kind};
	}

	return offer;
}

/**
 * Returns the answer of the protocol. A yes needs an answer that allows; `always` one that allows it from now on. A no is the
 * answer that refuses this once, or all such, and without any that nothing is answered.
 */
export function outcomeOf(
	offer: Offer,
	given: {readonly allowed: boolean; readonly always?: true | undefined},
): PermissionOutcome {
	const chosen = given.allowed
		? given.always
			? offer.allow_always
			: offer.allow_once
		: (offer.reject_once ?? offer.reject_always);
	return chosen ? {outcome: 'selected', optionId: chosen.optionId} : {outcome: 'cancelled'};
}

/** Returns true if the agent offers no answer that refuses. */
function lacksRefusal(offer: Offer): boolean {
	return !offer.reject_once && !offer.reject_always;
}

const does: Readonly<Record<string, Extract<Act, {kind: 'agent'}>['does']>> = {
	read: 'read',
	search: 'read',
	edit: 'edit',
	execute: 'command',
};

type Asking = {
	readonly agent: string;
	readonly call: ExternalCall;
	readonly offer: Offer;
	readonly folder: string;
	readonly isContained: boolean;
};

/** Returns what an agent asks for as a request for approval: exactly what it says of it, so that a yes covers nothing else. */
export async function approvalOf({agent, call, offer, folder, isContained}: Asking): Promise<Approval> {
	const {kind, name, title, arguments: args} = call;
	const named = pathsOf(call);
	// A place that is none makes all of them unknown.
	const paths = named.every(path => isAbsolute(path)) ? await Promise.all(named.map(path => realPath(path))) : [];
	const given = args['command'];
	const command =
		typeof given === 'string'
			? given
			: Array.isArray(given) && given.every(word => typeof word === 'string')
				? given.join(' ')
				: undefined;
	const act: Act = {
		kind: 'agent',
		agent,
		does: command === undefined ? (entryOf(does, kind) ?? 'other') : 'command',
		title: title || name,
		paths,
		...(command !== undefined && {command}),
		arguments: args,
		isContained,
		hasOnce: offer.allow_once !== undefined,
		hasRefusal: !lacksRefusal(offer),
		...(offer.allow_always && {always: cutText(offer.allow_always.name, 200)}),
	};
	const change = exactChangeIn(call, folder);
	return {
		act,
		summary: `Let ${agent} ${cutText(asWords(call, command, folder), 120)}?`,
		subject: JSON.stringify([agent, kind, name, title, paths, args, call.content]),
		...(change && {exactChange: change}),
		facts: [...(isContained ? [] : [['Sandbox', `none holds ${agent}`] as const])],
	};
}

/** Returns what a call does as words after a name: its command, its file, or its title in quotes if its kind says nothing. */
function asWords(call: ExternalCall, command: string | undefined, folder: string): string {
	if (command !== undefined) {
		return `run ${command}`;
	}

	const {verb, subject} = wordsOf(call, folder);
	return Object.hasOwn(does, call.kind)
		? `${verb.toLowerCase()} ${subject || 'something'}`
		: `“${call.title || call.name}”`;
}

/** Most links that a path leads through, as on Linux. */
const maxLinks = 40;

/** Returns the real path of a file that need not exist: where a link leads, a write creates it. */
async function realPath(path: string, links = maxLinks): Promise<string> {
	const whole = resolve(path);
	try {
		return await realpath(whole);
	} catch {
		const parent = dirname(whole);
		const real = parent === whole ? whole : join(await realPath(parent, links), basename(whole));
		const target = links > 0 ? await readlink(real).catch(() => undefined) : undefined;
		return target === undefined ? real : realPath(resolve(dirname(real), target), links - 1);
	}
}

/** Returns what a question says of its call. */
export function callIn(params: JsonObject): JsonObject {
	const {toolCall} = params;
	return isJsonObject(toolCall) ? toolCall : {};
}
