import * as z from 'zod/mini';
import {efforts} from '../core/effort.ts';
import type {Json} from '../core/json.ts';
import {leftOut, packedChanges} from '../core/packed-changes.ts';
import {approvalModes} from '../core/session/approval.ts';

/**
 * The version of what our terminals and our hosts say to each other, in methods that begin with `_service/`, beside version 1
 * of the Agent Client Protocol. A side that speaks another one is named, and replaced on request; it is never used in silence.
 */
export const linkProtocol = 1;

const json = z.custom<Json>();
/** A random id of a terminal, or of a request: the host keeps many. */
const randomId = z.string().check(z.maxLength(100));

/** The first line of a connection: proof that its program reads the files of the user, and what its sessions begin with. */
export const openLine = z.object({
	token: z.string(),
	/** The environment of sessions that this connection begins. */
	environment: z.record(z.string(), z.string()),
	/** The working folder of the program; no one beyond ssh. */
	folder: z.optional(z.string()),
});

/** Who sits at a terminal, as it says. */
const person = z.object({user: z.string(), machine: z.string()});
export type Person = z.infer<typeof person>;

/**
 * What a connection may do, each including what the ones before it may: watch a session, drive and answer it, or begin and end
 * sessions and the host itself.
 */
export const ranks = ['observer', 'driver', 'owner'] as const;
export type Rank = (typeof ranks)[number];

const hello = z.object({
	protocol: z.number(),
	version: z.string(),
	/** The same after a cut, so that the terminal keeps what it had. */
	terminal: randomId,
	person,
	/** The program that this connection speaks for, as it says: an editor, say. Left out by a terminal of ours. */
	client: z.optional(z.string()),
	/** The most that this connection wants to be allowed; all that its way in allows without it. */
	rank: z.optional(z.enum(ranks)),
});

const welcome = z.object({
	protocol: z.number(),
	version: z.string(),
	person,
	pid: z.number(),
	/** The folders that sessions may be in. */
	folders: z.array(z.string()),
});
export type Welcome = z.infer<typeof welcome>;

const sessionState = z.enum(['running', 'waiting', 'idle', 'ended']);

const listing = z.object({
	id: z.string(),
	/** Untrusted. */
	about: z.string(),
	folder: z.string(),
	state: sessionState,
	/** How many questions wait for an answer. */
	questions: z.number(),
	/** Who is attached. */
	terminals: z.array(z.string()),
	/** Who drives; left out if nobody does. */
	driver: z.optional(z.string()),
	began_at: z.string(),
});
/** A session of a host, as a list shows it. */
export type HostedListing = z.infer<typeof listing>;
const listings = z.object({sessions: z.array(listing)});

const role = z.enum(['driver', 'observer']);
export type SeatRole = z.infer<typeof role>;

/** Begins a session, or continues a saved one. `key` makes it begin once, however often it is asked. */
const beginSession = z.object({
	key: randomId,
	folder: z.optional(z.string()),
	resume: z.optional(z.string()),
	model: z.optional(z.string()),
	mode: z.optional(z.enum(approvalModes)),
	/** A first message. */
	prompt: z.optional(z.string()),
});
const begunSession = z.object({session: z.string(), notices: z.array(z.string())});

const attachTo = z.object({
	/** An id, or a unique prefix. */
	session: z.string(),
	role,
	/** The last record that the terminal has; -1 for none. */
	seq: z.number(),
});
const attached = z.object({
	/** Another one than asked for if that one continues as this one. */
	session: z.string(),
	/** What others know this terminal by. */
	seat: z.string(),
	/** The last record of now: what comes before it belongs to the transcript so far. */
	seq: z.number(),
	folder: z.string(),
});

const ofSession = z.object({session: z.string()});

/** What the terminal that drives does with a session. `key` makes it happen once, however often it is sent. */
const act = z.object({session: z.string(), key: randomId, verb: z.string(), args: z.optional(json)});

const driveRequest = z.object({
	session: z.string(),
	key: randomId,
	how: z.enum(['ask', 'give', 'take']),
	/** A word to the other. */
	word: z.optional(z.string()),
});

/** Notes that the frame with a question is out on a terminal. */
const paintedQuestion = z.object({session: z.string(), question: z.string()});

const answerTo = z.object({
	session: z.string(),
	key: randomId,
	question: z.string(),
	/** Left out for no. */
	value: z.optional(json),
});

/** Creates a link to a session, for somebody else. `key` creates it once, however often it is asked. */
const shareRequest = z.object({key: randomId, session: z.string(), role, for_ms: z.number()});
const shareCreated = z.object({id: z.string(), link: z.string(), ends_at: z.string(), session: z.string()});

const sharedLink = z.object({
	id: z.string(),
	session: z.string(),
	role,
	ends_at: z.string(),
	/** Whether somebody has opened it: it works once. */
	used: z.boolean(),
	connected: z.boolean(),
});
/** A link to a session, without its code. */
export type SharedLink = z.infer<typeof sharedLink>;

/** Asks for a folder of the host with the same repository. `except` is one that the session is in, on the same machine. */
const handoffFind = z.object({
	remotes: z.array(z.string()),
	commit: z.string(),
	branch: z.string(),
	below: z.string(),
	except: z.optional(z.string()),
});
/**
 * Where the session would continue, and what is checked out there first; left out if the commit is. The notices say what was put back
 * there of earlier hand-overs.
 */
const handoffPlace = z.object({
	folder: z.string(),
	switches_to: z.optional(z.string()),
	notices: z.array(z.string()),
});
/** `key` becomes the id of the session here. */
const handoffOffer = z.object({key: randomId, packed: packedChanges});
const handoffAccept = z.object({key: randomId, records: z.array(z.unknown())});
const handoffPack = z.object({session: z.string(), secrets: z.boolean()});
const handoffPacked = z.object({packed: packedChanges, left: leftOut, about: z.string(), folder: z.string()});
/** Moves a session to a terminal. It no longer runs there from then on, until `settle` says that it stayed. */
const handoffGive = z.object({
	key: randomId,
	session: z.string(),
	secrets: z.boolean(),
	/** That of the changes which the user agreed to. */
	hash: z.string(),
});
const handoffSettle = z.object({key: randomId, session: z.string(), taken: z.boolean()});

const nothing = z.object({});

/**
 * What a terminal asks of a host, by method: the least rank that may, the parameters and the answer. Every way in to a host reads
 * this table. No lease is needed for `begin`, `end` and `drain`, so that nobody but the owner has them. `hello`, `ping` and
 * `drain` stay as they are in every version: they are what a host of another version is asked.
 */
export const requests = {
	'_service/hello': {needs: 'observer', params: hello, answer: welcome},
	'_service/ping': {needs: 'observer', params: nothing, answer: nothing},
	'_service/list': {needs: 'observer', params: nothing, answer: listings},
	'_service/attach': {needs: 'observer', params: attachTo, answer: attached},
	'_service/detach': {needs: 'observer', params: ofSession, answer: nothing},
	'_service/act': {needs: 'driver', params: act, answer: json},
	'_service/answer': {needs: 'driver', params: answerTo, answer: nothing},
	'_service/painted': {needs: 'driver', params: paintedQuestion, answer: nothing},
	'_service/drive': {needs: 'driver', params: driveRequest, answer: z.object({text: z.string()})},
	'_service/begin': {needs: 'owner', params: beginSession, answer: begunSession},
	'_service/end': {needs: 'owner', params: ofSession, answer: nothing},
	'_service/share': {needs: 'owner', params: shareRequest, answer: shareCreated},
	'_service/shares': {needs: 'owner', params: nothing, answer: z.object({links: z.array(sharedLink)})},
	'_service/unshare': {needs: 'owner', params: z.object({id: z.string()}), answer: z.object({session: z.string()})},
	'_service/handoff_find': {needs: 'owner', params: handoffFind, answer: handoffPlace},
	'_service/handoff_offer': {needs: 'owner', params: handoffOffer, answer: handoffPlace},
	'_service/handoff_accept': {needs: 'owner', params: handoffAccept, answer: begunSession},
	'_service/handoff_ask': {needs: 'owner', params: z.object({key: randomId}), answer: z.object({has: z.boolean()})},
	'_service/handoff_pack': {needs: 'owner', params: handoffPack, answer: handoffPacked},
	'_service/handoff_give': {needs: 'owner', params: handoffGive, answer: z.object({records: z.array(z.unknown())})},
	'_service/handoff_settle': {needs: 'owner', params: handoffSettle, answer: nothing},
	'_service/drain': {needs: 'owner', params: nothing, answer: nothing},
} as const satisfies Readonly<
	Record<string, {readonly needs: Rank; readonly params: z.ZodMiniType; readonly answer: z.ZodMiniType}>
>;
export type RequestMethod = keyof typeof requests;
export type RequestParams<Method extends RequestMethod> = z.infer<(typeof requests)[Method]['params']>;
export type RequestAnswer<Method extends RequestMethod> = z.infer<(typeof requests)[Method]['answer']>;

/** What a host of another version answers, too. */
export const inAnyVersion: ReadonlySet<RequestMethod> = new Set(['_service/hello', '_service/ping', '_service/drain']);

/** Returns the request of a method; undefined for another name. */
export function requestOf(method: string): (typeof requests)[RequestMethod] | undefined {
	return Object.hasOwn(requests, method) ? requests[method as RequestMethod] : undefined;
}

/** True if whoever has a rank may do what needs the other one. */
export function mayDo(rank: Rank, needed: Rank): boolean {
	return ranks.indexOf(rank) >= ranks.indexOf(needed);
}

/** What a terminal draws of a session beside its records. Each message has what has changed. */
const hostedState = z.object({
	queue: z.optional(
		z.array(z.object({id: z.string(), text: z.string(), startedBy: z.optional(z.enum(['user', 'watch']))})),
	),
	jobs: z.optional(z.number()),
	foreground: z.optional(z.number()),
	isStopping: z.optional(z.boolean()),
	unsaved: z.optional(z.nullable(z.string())),
	model: z.optional(z.nullable(z.string())),
	effort: z.optional(z.nullable(z.enum(efforts))),
	mode: z.optional(z.enum(approvalModes)),
	folder: z.optional(z.string()),
	connection: z.optional(
		z.object({
			profile: z.string(),
			server: z.string(),
			state: z.enum(['starting', 'ready', 'failed']),
			detail: z.optional(z.string()),
		}),
	),
	/** Who is attached, by seat, and who drives. */
	terminals: z.optional(z.array(z.object({seat: z.string(), who: z.string(), role, drives: z.boolean()}))),
});
export type HostedState = z.infer<typeof hostedState>;

const questionKind = z.enum(['approval', 'user', 'inquiry', 'agree', 'confirm', 'choose', 'field']);
export type QuestionKind = z.infer<typeof questionKind>;

/** What a host sends by itself, by method. */
export const sentByHost = {
	'_service/records': z.object({session: z.string(), records: z.array(z.unknown())}),
	'_service/state': z.object({session: z.string(), state: hostedState}),
	'_service/question': z.object({session: z.string(), id: z.string(), kind: questionKind, question: json}),
	/** Somebody answered, or the question is void. */
	'_service/question_closed': z.object({session: z.string(), id: z.string()}),
	/** The terminal has everything: these questions wait, and no others. */
	'_service/caught_up': z.object({session: z.string(), questions: z.array(z.string())}),
	/** The session goes on as another one: a new one, or a fork. */
	'_service/replaced': z.object({session: z.string(), by: z.string(), seq: z.number()}),
	'_service/ended': z.object({session: z.string(), why: z.string()}),
	/** A sentence for the user. */
	'_service/told': z.object({session: z.string(), text: z.string()}),
};
