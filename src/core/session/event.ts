import * as z from 'zod/mini';
import type {ErrorCode} from '../error.ts';
import type {Json, JsonObject} from '../json.ts';
import {budgetEvent} from '../ledger/budget.ts';
import {requestEndpoint, requestPrefix, requestPrice, tokenUsage, usageCause} from './request-record.ts';
import {
	attachmentEvent,
	outputStyles,
	shownImage,
	toolOutputEvent,
	userCommandEndEvent,
	userCommandEvent,
} from './user-events.ts';

/**
 * Data that a vendor wants back unchanged in the next request, such as a signature. Only its own wire format reads it.
 */
const opaque = z.object({wire: z.string(), data: z.custom<Json>()});
export type Opaque = z.infer<typeof opaque>;

const jsonObject = z.custom<JsonObject>(value => typeof value === 'object' && value !== null && !Array.isArray(value));
/**
 * A change of a file. `diff` has the hunks of a unified diff; `@@` lines carry the line numbers. Its length is limited;
 * `added` and `removed` count all changed lines.
 */
const fileChange = z.object({path: z.string(), added: z.number(), removed: z.number(), diff: z.string()});
export type FileChange = Readonly<z.infer<typeof fileChange>>;

/**
 * What a tool knows of its result beside the text for the model, so that nobody has to read it out of that text. A result
 * with facts but no counts has nothing to say behind its call; one of a tool without facts has the size of its text.
 */
const toolFacts = z.object({
	/** Lines, matches or files in the result, and how many more of them were left out. */
	lines: z.optional(z.number()),
	matches: z.optional(z.number()),
	files: z.optional(z.number()),
	left: z.optional(z.number()),
	/** The exit status of a command that ended; null if a signal ended it. */
	status: z.optional(z.nullable(z.number())),
	/** How a command ended, or that it runs, in a few words; left out for status 0. */
	end: z.optional(z.string()),
	/** Lines of the text above the output of a command, which are notes, and below it: how it ended, then notes. */
	above: z.optional(z.number()),
	below: z.optional(z.number()),
	/** Where in the text an answer of the user begins, or the reason of what denied the call. */
	from: z.optional(z.number()),
	denied: z.optional(z.literal('hook')),
});
export type ToolFacts = Readonly<z.infer<typeof toolFacts>>;

export type {ImageType, ShownImage} from './user-events.ts';

/**
 * The user took changes of files back, between the contents `before` and `after`. `steps` has the ids of the calls that
 * were undone as a whole, or of the restore that was; `paths` names the first files of `count`.
 */
const restoreEvent = z.object({
	type: z.literal('restore'),
	id: z.string(),
	how: z.enum(['undo', 'redo', 'rewind', 'diff']),
	before: z.string(),
	after: z.string(),
	steps: z.array(z.string()),
	paths: z.array(z.string()),
	count: z.number(),
});

const runEndReason = z.enum(['done', 'interrupted', 'error', 'budget', 'incomplete']);
export type RunEndReason = z.infer<typeof runEndReason>;

const stopReason = z.enum(['end_turn', 'max_tokens', 'tool_use', 'refusal', 'error', 'incomplete']);
/** Why the model's last message ended, as the headless interface names it. */
export type StopReason = z.infer<typeof stopReason>;

/**
 * Where the session is: offered to another place, which may have it by now, moved there, or kept after all. `key` is its id there,
 * `at` what `handoff` calls that place ('' for the host of this machine); left out if a terminal fetched it.
 */
export const handoff = z.object({
	state: z.enum(['offered', 'moved', 'kept']),
	key: z.string(),
	to: z.string(),
	at: z.optional(z.string()),
	/** The hash of the changes that went along, which this folder still has. */
	changes: z.optional(z.string()),
});
export type Handoff = Readonly<z.infer<typeof handoff>>;

const compactionCause = z.enum(['user', 'automatic', 'overflow']);
/** Why a conversation was compacted: the user asked, the window was nearly full, or the provider refused a request. */
export type CompactionCause = z.infer<typeof compactionCause>;

/**
 * Everything that happens in a conversation. Small and additive: deltas are joined by `id`, never snapshots.
 * `messageId` groups the parts of one model message; the `id` of a tool event is the id of its call.
 */
const runEventSchema = z.discriminatedUnion('type', [
	z.object({
		type: z.literal('run-start'),
		runId: z.string(),
		model: z.string(),
		/** Where its user reads: the shell for `-p`; left out for the app, and by versions that did not record it. */
		place: z.optional(z.literal('shell')),
	}),
	z.object({
		type: z.literal('user-message'),
		id: z.string(),
		text: z.string(),
		/** Ids of the commands of the user whose output it carries. */
		commands: z.optional(z.array(z.string())),
		/** The local date, if it is not the one that the model knows, as YYYY-MM-DD. */
		date: z.optional(z.string()),
	}),
	attachmentEvent,
	userCommandEvent,
	userCommandEndEvent,
	z.object({
		type: z.literal('text-delta'),
		id: z.string(),
		messageId: z.string(),
		text: z.string(),
		opaque: z.optional(opaque),
	}),
	z.object({
		type: z.literal('reasoning-delta'),
		id: z.string(),
		messageId: z.string(),
		text: z.string(),
		opaque: z.optional(opaque),
	}),
	z.object({
		type: z.literal('tool-call'),
		id: z.string(),
		messageId: z.string(),
		name: z.string(),
		arguments: jsonObject,
		/** The text of arguments that were not a JSON object. Such a call is never run; its result is an error. */
		malformed: z.optional(z.string()),
		/** True if the model wrote the call as text: rules, modes and flags don't allow what it does. */
		written: z.optional(z.literal(true)),
		/** The call in words, of a tool that says them itself. */
		words: z.optional(z.object({verb: z.string(), subject: z.string()})),
		opaque: z.optional(opaque),
	}),
	/**
	 * What another agent said of its call later; what is left out stays. Its arguments and its title often follow the call.
	 */
	z.object({
		type: z.literal('tool-call-update'),
		id: z.string(),
		arguments: z.optional(jsonObject),
		words: z.optional(z.object({verb: z.string(), subject: z.string()})),
	}),
	/** The whole plan of another agent, which has no tool for it. */
	z.object({
		type: z.literal('plan'),
		items: z.array(z.object({text: z.string(), state: z.enum(['pending', 'active', 'done'])})),
	}),
	/**
	 * From here on, another agent answers: `session` is its own id for the conversation. Without a name, our own agent
	 * answers again.
	 */
	z.object({
		type: z.literal('agent'),
		name: z.optional(z.string()),
		/** The program and its arguments, which start it again. */
		command: z.optional(z.array(z.string())),
		session: z.optional(z.string()),
		/** True if our sandbox holds it. */
		contained: z.optional(z.boolean()),
	}),
	/** The text with this `id` was reasoning. Comes directly after its last delta. */
	z.object({type: z.literal('reclassify'), id: z.string(), messageId: z.string()}),
	z.object({
		type: z.literal('approval-request'),
		id: z.string(),
		summary: z.string(),
		hash: z.string(),
		/** What is asked for; left out by versions that only asked to read secret files. */
		kind: z.optional(z.string()),
		change: z.optional(fileChange),
	}),
	z.object({
		type: z.literal('approval-answer'),
		id: z.string(),
		allowed: z.boolean(),
		hash: z.string(),
		/** Who decided: `user`, `mode`, `flag`, `read-only` for a command that only reads, or the text of a rule. */
		by: z.optional(z.string()),
		/** The rules that allowed it, with their numbers of then and where they are from. */
		rules: z.optional(z.array(z.object({number: z.number(), source: z.string()}))),
		/** The flags that would allow it in a run without a user. */
		flags: z.optional(z.string()),
	}),
	toolOutputEvent,
	/** The result that the model reads. `milliseconds` is the duration of the tool. */
	z.object({
		type: z.literal('tool-result'),
		id: z.string(),
		output: z.string(),
		styles: outputStyles,
		failed: z.boolean(),
		milliseconds: z.number(),
		/** The change of a file that the tool has written. */
		change: z.optional(fileChange),
		images: z.optional(z.array(shownImage)),
		/** Left out by versions whose screen read them out of the text. Undefined if a later version has others. */
		facts: z.optional(
			z.pipe(
				z.custom<unknown>(),
				z.transform(value => toolFacts.safeParse(value).data),
			),
		),
	}),
	/**
	 * What a call may change was saved, or its change was: `tree` is an id in the store of the folder. A call that changes
	 * files has one before them and one after them.
	 */
	z.object({
		type: z.literal('checkpoint'),
		id: z.string(),
		phase: z.enum(['before', 'after']),
		tree: z.string(),
		/** The only file that the call changes; without it, it may change any. */
		path: z.optional(z.string()),
		/**
		 * The background jobs that ran between both checkpoints, such as `1, 2`. `id` is then that of the time between: they,
		 * but also the user, may have changed files in it.
		 */
		job: z.optional(z.string()),
		/** True if another session was at work in the folder meanwhile: it may have changed files, too. */
		shared: z.optional(z.boolean()),
	}),
	restoreEvent,
	/** Usage of one request so far; the last event of a `messageId` replaces earlier ones. */
	z.object({
		type: z.literal('usage'),
		messageId: z.string(),
		model: z.string(),
		usage: tokenUsage,
		/** Left out by versions that named compactions only. */
		cause: z.optional(usageCause),
		/** Left out if the provider reports the cost, and if the price is unknown. */
		price: z.optional(requestPrice),
		prefix: z.optional(requestPrefix),
		/** Left out by versions that did not bind a session to it. */
		endpoint: z.optional(requestEndpoint),
		/** The call that started the sub-agent whose request it was. */
		task: z.optional(z.string()),
	}),
	/** Everything before it was compacted into `summary`, which the model reads instead. */
	z.object({
		type: z.literal('compaction'),
		id: z.string(),
		summary: z.string(),
		cause: z.optional(compactionCause),
		/** Tokens of the context window before it, and estimated after it. */
		beforeTokens: z.optional(z.number()),
		afterTokens: z.optional(z.number()),
		/** Ids of the pinned messages that the model still reads word for word. */
		pinned: z.optional(z.array(z.string())),
		/** Ids of the user's messages before it that were not answered yet: they follow the summary as they are. */
		carried: z.optional(z.array(z.string())),
		/**
		 * The messages before it that the model still reads after the summary: all but the first `from`, with no part longer
		 * than `part` characters and nothing of the user longer than `user`.
		 */
		kept: z.optional(z.object({from: z.number(), part: z.number(), user: z.optional(z.number())})),
	}),
	/** The user took the last compaction back: the model reads what was before it again. */
	z.object({type: z.literal('compaction-undo'), id: z.string()}),
	/** The user pinned a message, so that compactions keep it word for word, or no longer does. */
	z.object({type: z.literal('pin'), id: z.string(), pinned: z.boolean()}),
	z.object({
		type: z.literal('notice'),
		level: z.enum(['info', 'warning', 'error']),
		text: z.string(),
		hint: z.optional(z.string()),
		/** How long the program waits for its next attempt, in milliseconds. */
		waitMs: z.optional(z.number()),
		/** The client that the session was imported from; such a notice comes first in it. */
		client: z.optional(z.string()),
		/** How many messages it had then: left out by versions that did not count them. */
		messages: z.optional(z.number()),
		handoff: z.optional(handoff),
	}),
	/** The user set the budgets of the session; those left out have no limit. */
	budgetEvent,
	z.object({type: z.literal('rename'), title: z.string()}),
	/** The user allowed or denied what a rule covers for the session, or takes that back. The rule is relative to `folder`. */
	z.object({
		type: z.literal('session-rule'),
		rule: z.string(),
		effect: z.enum(['allow', 'deny']),
		folder: z.string(),
		removed: z.optional(z.boolean()),
	}),
	/** What somebody did at a terminal that was attached to the session of a host. The user and the machine are as it said. */
	z.object({
		type: z.literal('presence'),
		act: z.enum(['attach', 'detach', 'drive', 'answer', 'share', 'revoke']),
		who: z.string(),
		/** Whether the terminal may drive, or only watches. */
		role: z.optional(z.enum(['driver', 'observer'])),
		/** The call whose question was answered. */
		call: z.optional(z.string()),
	}),
	/** Sent exactly once for each `run-start`, also after an abort. */
	z.object({
		type: z.literal('run-end'),
		reason: runEndReason,
		stopReason,
		/** The conversation did not fit into the context window: the last addition is left out from now on. */
		refused: z.optional(z.boolean()),
		error: z.optional(z.object({code: z.custom<ErrorCode>(), message: z.string(), hint: z.optional(z.string())})),
	}),
]);

/** An event of a run, of the agent or of a sub-agent. */
export type RunEvent = z.infer<typeof runEventSchema>;

const agentEventSchema = z.discriminatedUnion('type', [
	runEventSchema,
	/** An event of a sub-agent, which the call `id` started. Its usage is recorded beside it, with `task`. */
	z.object({type: z.literal('task'), id: z.string(), event: runEventSchema}),
]);

export type AgentEvent = z.infer<typeof agentEventSchema>;
export type EventOf<T extends AgentEvent['type']> = Extract<AgentEvent, {type: T}>;

const recordedSchema = z.object({
	v: z.literal(1),
	seq: z.int().check(z.nonnegative()),
	at: z.string(),
	session: z.string(),
	server: z.string(),
	event: agentEventSchema,
});

/**
 * An event as stored and streamed. `seq` counts from 0 in its session without gaps, `at` is ISO 8601 in UTC, `server`
 * is the origin that the session was connected to, or `local`.
 */
export type Recorded = z.infer<typeof recordedSchema>;

/** Parses one stored or streamed record; undefined for an event that this version does not know. */
export function parseRecorded(value: unknown): Recorded | undefined {
	return recordedSchema.safeParse(value).data;
}

/** Parses a restore that was saved outside of a journal; undefined for anything else. */
export function parseRestore(value: unknown): EventOf<'restore'> | undefined {
	return restoreEvent.safeParse(value).data;
}
