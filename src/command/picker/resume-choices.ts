import {hasCredential, listProfiles} from '../../config/profiles.ts';
import type {Sighting} from '../../config/sightings.ts';
import {readLeniently} from '../../contract/lenient.ts';
import {environmentSchema, isOver} from '../../contract/resources/environment.ts';
import {runtimeSchema} from '../../contract/resources/runtime.ts';
import {sessionSchema} from '../../contract/resources/session.ts';
import {cellText} from '../../core/cell.ts';
import {AppError} from '../../core/error.ts';
import {formatAge, formatAmount, formatUsd} from '../../core/format.ts';
import {groupBy} from '../../core/group-by.ts';
import type {Choice, FilterField} from '../../core/question.ts';
import {cutTitle, titleFrom} from '../../core/session/session-title.ts';
import {type MessageUsage, type PriceOf, totalCost} from '../../core/session/usage.ts';
import type {HostedListing} from '../../link/protocol.ts';
import {identityOf} from '../../platform/identity.ts';
import type {Place} from '../../platform/platform.ts';
import type {ForeignListing} from '../../session/foreign-sessions.ts';
import type {SessionSummary} from '../../storage/session-summary.ts';
import type {BackgroundSession} from '../../store/session-slice.ts';
import type {CommandContext, GlobalFlags} from '../context.ts';
import {stateWords} from '../render/facts.ts';

/** Something to resume: its choice in the list, and the action that resumes it in its `place`. */
export type Resumable = {
	readonly choice: Choice;
	/** Milliseconds since the epoch; undefined if only the id is known. */
	readonly at: number | undefined;
	readonly action:
		| {readonly kind: 'session'; readonly id: string}
		/** A session that runs on the host of this machine. */
		| {readonly kind: 'hosted'; readonly id: string}
		/** A conversation of another client, in a file that was never imported. */
		| {readonly kind: 'foreign'; readonly path: string}
		| {readonly kind: 'command'; readonly words: readonly string[]; readonly place: Place};
};

const kinds = {session: 'server session', runtime: 'runtime', environment: 'environment'} as const;
const savedKind = 'saved session';
const openKind = 'open session';
const hostedKind = 'hosted session';
const foreignKind = 'foreign session';
const printedKind = '-p run';

/** The filters of the list. Costs are in US dollars, credits are those of runtimes. */
export const resumeFilters: readonly FilterField[] = [
	{
		name: 'kind',
		compares: 'text',
		example: 'kind:runtime',
		words: [openKind, hostedKind, savedKind, printedKind, foreignKind, ...Object.values(kinds)],
	},
	{name: 'state', compares: 'text', example: 'state:paused'},
	{name: 'server', compares: 'text', example: 'server:local'},
	{name: 'cost', compares: 'number', example: 'cost:>1'},
	{name: 'credits', compares: 'number', example: 'credits:>10'},
	{name: 'age', compares: 'age', example: 'age:<2d'},
];

type Saved = {
	readonly usage: ReadonlyMap<string, readonly MessageUsage[]>;
	readonly priceOf: PriceOf;
	readonly exact: boolean;
};

// Details begin with what tells two of one name apart: a narrow window leaves the last ones out.

/** The headings of the list, in its order. */
const openHere = 'Open here';
const hosted = 'On the host of this machine';
const conversations = 'Conversations';
const printed = '-p runs';
const foreign = 'Of other clients, not imported yet';
const onServers = 'Sandboxes, runtimes and server sessions';

/**
 * Returns the choices for saved sessions, those that only `-p` ran in last. Those of one name are told apart by the message
 * that came last, or by a number.
 */
export function savedChoices(sessions: readonly SessionSummary[], saved: Saved): readonly Resumable[] {
	const named = distinct(sessions, ({title, about, id}) => title || about || id.slice(0, 8));
	const detailed = distinct(sessions, (session, index) => {
		const name = named[index]?.name ?? '';
		const {latest, preview} = session;
		return named[index]?.isTwin && latest !== preview ? `${name} … ${titleFrom(latest) || cutTitle(latest)}` : name;
	});
	const counts = new Map<string, number>();
	// The oldest one has the lowest number.
	const labels = detailed.toReversed().map(({name, isTwin}) => {
		const count = (counts.get(name) ?? 0) + 1;
		counts.set(name, count);
		return isTwin ? `${name} (${count})` : name;
	});
	const isRun = ({choice}: Resumable) => choice.group === printed;
	return sessions
		.map((session, index) => savedChoice(session, labels.at(-1 - index) ?? '', saved))
		.toSorted((one, other) => Number(isRun(one)) - Number(isRun(other)));
}

const backgroundWords = {running: 'running', waiting: 'waits for you', ended: 'ended'} as const;

/** Returns the choice for a session that is open beside the one in front. */
export function openChoice({id, about, state, unread}: BackgroundSession, exact: boolean): Resumable {
	return {
		at: undefined,
		action: {kind: 'session', id},
		choice: {
			id,
			label: about || id.slice(0, 8),
			group: openHere,
			detail: joined([backgroundWords[state], exact ? id : id.slice(0, 8), unread > 0 ? `${unread} new` : undefined]),
			fields: fieldsOf({id, kind: openKind, state: backgroundWords[state], server: 'this machine'}),
		},
	};
}

/** Returns the choice for a session that runs on the host of this machine. */
export function hostedChoice(
	{id, about, state, folder, began_at: began, terminals}: HostedListing,
	exact: boolean,
): Resumable {
	const at = timeOf(began);
	return {
		at,
		action: {kind: 'hosted', id},
		choice: {
			id: `hosted ${id}`,
			label: about || id.slice(0, 8),
			group: hosted,
			detail: joined([
				state,
				exact ? id : id.slice(0, 8),
				cellText({at: began}, {exact}),
				terminals.length > 0 ? `${terminals.length} attached` : undefined,
				folder,
			]),
			fields: fieldsOf({id, kind: hostedKind, state, server: 'host of this machine', age: at}),
		},
	};
}

/** Returns the choice for a conversation of another client, which is imported when it is selected. */
export function foreignChoice({path, client, title, changedAt: at}: ForeignListing, exact: boolean): Resumable {
	return {
		at,
		action: {kind: 'foreign', path},
		choice: {
			id: `foreign ${path}`,
			label: title || 'Without a message so far',
			group: foreign,
			detail: joined([`foreign, ${client}`, cellText({at: new Date(at).toISOString()}, {exact})]),
			fields: fieldsOf({id: path, kind: foreignKind, state: client, server: 'this machine', age: at}),
		},
	};
}

/** Returns the name of each session, and whether another one has the same. */
function distinct(sessions: readonly SessionSummary[], nameOf: (session: SessionSummary, index: number) => string) {
	const names = sessions.map(nameOf);
	const groups = groupBy(names, name => name);
	return names.map(name => ({name, isTwin: (groups.get(name)?.length ?? 0) > 1}));
}

/** Returns the choice for a saved session. Its cost is left out if a price or its usage is unknown. */
function savedChoice(
	{id, updatedAt, messages, client, handoff, isPrinted}: SessionSummary,
	label: string,
	{usage, priceOf, exact}: Saved,
): Resumable {
	const used = usage.get(id) ?? [];
	// What the other client spent is unknown.
	const cost = client && used.length === 0 ? null : totalCost(used, priceOf);
	const state = handoff ? `handed over to ${handoff.to}` : client ? `from ${client}` : 'saved';
	const at = timeOf(updatedAt);
	return {
		at,
		action: {kind: 'session', id},
		choice: {
			id,
			label,
			group: isPrinted ? printed : conversations,
			detail: joined([
				cellText({at: updatedAt}, {exact}),
				exact ? id : id.slice(0, 8),
				handoff || client ? state : undefined,
				`${messages} ${messages === 1 ? 'message' : 'messages'}`,
				cost === null ? undefined : formatUsd(cost),
			]),
			fields: fieldsOf({
				id,
				kind: isPrinted ? printedKind : savedKind,
				state,
				server: 'this machine',
				cost: cost ?? undefined,
				age: at,
			}),
		},
	};
}

/** Returns the choice for an object of a server, as it was last seen. */
export function seenChoice(sighting: Sighting, place: Place, {exact}: GlobalFlags): Resumable {
	const {kind, id, profile, server, shown} = sighting;
	const isKnown = Object.keys(shown).length > 0;
	const {label, state, cost, credits, words} = readers[kind](sighting);
	const age = isKnown ? timeOf(sighting.at) : undefined;
	return {
		at: age,
		action: {kind: 'command', words: [...words, '--', id], place},
		choice: {
			id: [kind, profile, server, sighting.org, sighting.workspace, id].join(' '),
			label: label || (exact ? id : id.slice(0, 8)),
			group: onServers,
			detail: joined([
				kind,
				kind === 'runtime' || !label ? undefined : exact ? id : id.slice(0, 8),
				isKnown ? state : undefined,
				`on ${profile}`,
				isKnown ? `seen ${cellText({at: sighting.at}, {exact})}` : undefined,
				cost === undefined ? undefined : formatUsd(cost),
				credits === undefined ? undefined : formatAmount(credits, 'credit'),
			]),
			fields: fieldsOf({id, kind: kinds[kind], state, server: `${profile} ${server}`, cost, credits, age}),
		},
	};
}

/** Returns the name and the state of an object, as it was last seen; '' if nothing of it was. */
export function seenText(sighting: Sighting): string {
	const {label, state} = readers[sighting.kind](sighting);
	return joined([label === sighting.id ? undefined : label, state]);
}

type Read = {
	readonly label: string | undefined;
	readonly state?: string | undefined;
	readonly cost?: number | undefined;
	readonly credits?: number | undefined;
	/** The command that resumes it. */
	readonly words: readonly string[];
};

const readers: Readonly<Record<Sighting['kind'], (sighting: Sighting) => Read>> = {
	session({shown}) {
		const {title, preview_text: preview, archived_at: archived, usage} = readLeniently(sessionSchema, shown) ?? {};
		return {
			label: title || preview || undefined,
			state: archived === undefined ? undefined : archived === null ? 'active' : 'archived',
			cost: usage?.total_cost_usd ?? undefined,
			words: ['session', 'unarchive'],
		};
	},
	runtime({id, shown}) {
		const {name, key, status, owned_by_me: owned, instance} = readLeniently(runtimeSchema, shown) ?? {};
		const {pause_reason: reason, billed_credits: billed, running_credits: running} = instance ?? {};
		const isBilled = billed !== undefined || running !== undefined;
		return {
			label: name || key || id,
			state: joined([reason ? `${status}: ${reason}` : status, owned === false ? 'not yours' : undefined]) || undefined,
			credits: isBilled ? (billed ?? 0) + (running ?? 0) : undefined,
			words: ['runtime', 'resume'],
		};
	},
	environment({shown}) {
		const {task_ref: task, state, expires_at: expires} = readLeniently(environmentSchema, shown) ?? {};
		const end = isOver(state) ? undefined : timeOf(expires ?? '');
		const ending =
			end === undefined ? undefined : end <= Date.now() ? 'expired' : `expires ${formatAge(expires ?? '')}`;
		return {label: task, state: joined([stateWords(state) ?? undefined, ending]) || undefined, words: ['env', 'logs']};
	},
};

/**
 * Finds where things of a server can be resumed: on the command's server, and on those of other logged-in profiles.
 * Returns a function that finds the place of a sighting; undefined for a server without a login, or one that its profile
 * no longer belongs to. Sends nothing.
 */
export function placesOf(context: CommandContext): (sighting: Sighting) => Place | undefined {
	const {
		program: {
			local: {config},
		},
		flags,
	} = context;
	const identity = currentIdentity(context);
	const current =
		identity && 'embedded' in identity ? {name: 'local', server: identity.embedded} : identity && {...identity};
	// A named server excludes all others.
	const isNamed = flags.profile !== undefined || flags.server !== undefined;
	const others = isNamed ? [] : listProfiles(config.read()).filter(hasCredential);
	return ({profile, server, org, workspace}) => {
		if (current?.name === profile && current.server === server) {
			return {...(org && {org}), ...(workspace && {workspace})};
		}

		const isThere = others.some(other => other.name === profile && other.server === server);
		return isThere ? {profile, ...(org && {org}), ...(workspace && {workspace})} : undefined;
	};
}

/** Returns undefined on errors: sessions of this machine need no server, and what needs one reports the error. */
function currentIdentity(context: CommandContext) {
	try {
		return identityOf(context);
	} catch (error) {
		if (error instanceof AppError) {
			return undefined;
		}

		throw error;
	}
}

function timeOf(at: string): number | undefined {
	const time = Date.parse(at);
	return Number.isNaN(time) ? undefined : time;
}

function joined(parts: readonly (string | undefined)[]): string {
	return parts.filter(Boolean).join(' · ');
}

function fieldsOf(fields: Readonly<Record<string, string | number | undefined>>): Choice['fields'] {
	return Object.fromEntries(
		Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
	);
}
