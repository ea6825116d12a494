import * as z from 'zod/mini';
import {efforts} from '../core/effort.ts';
import {AppError} from '../core/error.ts';
import type {Json} from '../core/json.ts';
import {approvalModes} from '../core/session/approval.ts';

const nothing = z.object({});

/** What a terminal that drives may do with a session, by verb, with the arguments of each. */
const verbs = {
	send: z.object({text: z.string(), mentions_in: z.optional(z.string())}),
	shell: z.object({command: z.string()}),
	interrupt: nothing,
	compact: z.object({guidance: z.optional(z.string())}),
	undo_compaction: nothing,
	pin: z.object({id: z.string(), pinned: z.boolean()}),
	rename: z.object({title: z.string()}),
	new: nothing,
	fork: z.object({before: z.optional(z.string())}),
	mode: z.object({mode: z.enum(approvalModes)}),
	model: z.object({model: z.nullable(z.string())}),
	effort: z.object({model: z.string(), effort: z.nullable(z.enum(efforts))}),
	take_queue: z.object({ids: z.array(z.string())}),
	move_queued: z.object({id: z.string(), places: z.number()}),
	background: nothing,
	/** A slash command, by its full name, with its arguments. */
	command: z.object({
		path: z.string(),
		values: z.record(z.string(), z.custom<Json>()),
		exact: z.boolean(),
	}),
	/** A message is being typed: what it needs is opened. */
	prepare: nothing,
	/** The files that a mention may name. */
	paths: z.object({query: z.string(), limit: z.number()}),
};

export type SessionVerb = {
	[Verb in keyof typeof verbs]: {readonly verb: Verb; readonly args: z.infer<(typeof verbs)[Verb]>};
}[keyof typeof verbs];

/** Reads what a terminal asks for. Throws AppError("usage") for what this version doesn't know. */
export function readVerb(verb: string, args: Json | undefined): SessionVerb {
	const schema = Object.hasOwn(verbs, verb) ? verbs[verb as keyof typeof verbs] : undefined;
	const read = schema?.safeParse(args ?? {});
	if (!read?.success) {
		throw new AppError('usage', `The host does not know “${verb.slice(0, 40)}” so.`, {
			hint: 'Install the same version of both.',
		});
	}

	return {verb, args: read.data} as SessionVerb;
}
