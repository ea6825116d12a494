import * as z from 'zod/mini';
import {efforts} from '../core/effort.ts';
import type {Json} from '../core/json.ts';
import {approvalModes} from '../core/session/approval.ts';

/**
 * The version of what our terminals and our hosts say to each other, in methods that begin with `_service/`, beside version 1
 * of the Agent Client Protocol. A side that speaks another one is named, and replaced on request; it is never used in silence.
 */
export const linkProtocol = 1;

const json = z.custom<Json>();

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

export const hello = z.object({
	protocol: z.number(),
	version: z.string(),
	/** The same after a cut, so that the terminal keeps what it had. */
	terminal: z.string(),
	person,
});

export const welcome = z.object({
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
export const listings = z.object({sessions: z.array(listing)});

const role = z.enum(['driver', 'observer']);
export type SeatRole = z.infer<typeof role>;

/** Begins a session, or continues a saved one. `key` makes it begin once, however often it is asked. */
export const beginSession = z.object({
	key: z.string(),
	folder: z.optional(z.string()),
	resume: z.optional(z.string()),
	model: z.optional(z.string()),
	mode: z.optional(z.enum(approvalModes)),
	/** A first message. */
	prompt: z.optional(z.string()),
});
export const begunSession = z.object({session: z.string(), notices: z.array(z.string())});

export const attachTo = z.object({
	/** An id, or a unique prefix. */
	session: z.string(),
	role,
	/** The last record that the terminal has; -1 for none. */
	seq: z.number(),
});
export const attached = z.object({
	session: z.string(),
	/** The last record of now: what comes before it belongs to the transcript so far. */
	seq: z.number(),
	folder: z.string(),
});

export const ofSession = z.object({session: z.string()});

/** What the terminal that drives does with a session. `key` makes it happen once, however often it is sent. */
export const act = z.object({session: z.string(), key: z.string(), verb: z.string(), args: z.optional(json)});

export const driveRequest = z.object({
	session: z.string(),
	how: z.enum(['ask', 'give', 'take']),
	/** A word to the other. */
	word: z.optional(z.string()),
});

export const answerTo = z.object({
	session: z.string(),
	question: z.string(),
	/** Left out for no. */
	value: z.optional(json),
});

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
	/** Who is attached, and who drives. */
	terminals: z.optional(z.array(z.object({id: z.string(), who: z.string(), role, drives: z.boolean()}))),
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
	/** The session goes on as another one: a new one, or a fork. */
	'_service/replaced': z.object({session: z.string(), by: z.string(), seq: z.number()}),
	'_service/ended': z.object({session: z.string(), why: z.string()}),
	/** A sentence for the user. */
	'_service/told': z.object({session: z.string(), text: z.string()}),
};
