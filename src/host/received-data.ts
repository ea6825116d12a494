import * as z from 'zod/mini';
import {drawingOfText} from '../command/approvals/subject-drawing.ts';
import type {SessionPart} from '../command/parts.ts';
import type {Result} from '../command/result.ts';
import {AppError, exitStatus} from '../core/error.ts';
import type {Json, JsonObject} from '../core/json.ts';
import type {ApprovalAnswer} from '../core/session/approval.ts';
import type {AskUser} from '../core/session/user-question.ts';
import type {Interaction} from '../platform/interaction.ts';
import {safeLine} from '../terminal/text/safe-text.ts';
import type {RemoteQuestion} from './remote-session.ts';

type Decide = Parameters<SessionPart['askWith']>[0];

const json = z.custom<Json>(value => value !== undefined);
const jsonObject = z.custom<JsonObject>(value => typeof value === 'object' && value !== null && !Array.isArray(value));
const strings = z.array(z.string());
const pair = z.tuple([z.string(), z.string()]);

/** Lines that are drawn as they are: what a terminal obeys stays on the host. */
const safeLines = z.pipe(
	strings,
	z.transform((lines: string[]) => lines.map(safeLine)),
);

const about = z.object({title: z.optional(z.string()), facts: z.array(pair)});
const subject = z.pipe(
	z.object({title: z.string(), text: z.string()}),
	z.transform(({title, text}) => drawingOfText(title, text)),
);

const fileChange = z.object({path: z.string(), added: z.number(), removed: z.number(), diff: z.string()});
const act = z.discriminatedUnion('kind', [
	z.object({kind: z.literal('read-secret'), path: z.string()}),
	z.object({
		kind: z.enum(['edit', 'edit-secret']),
		path: z.string(),
		text: z.optional(z.object({before: z.optional(z.string()), after: z.string()})),
	}),
	z.object({
		kind: z.literal('command'),
		command: z.string(),
		folder: z.string(),
		containment: z.enum(['sandbox', 'network', 'none']),
		widened: z.optional(z.boolean()),
		reveals: z.optional(strings),
		isUnsearched: z.optional(z.boolean()),
	}),
	z.object({kind: z.literal('fetch'), url: z.string(), method: z.string()}),
	z.object({
		kind: z.literal('mcp'),
		server: z.string(),
		tool: z.string(),
		arguments: jsonObject,
		isLocal: z.boolean(),
		claimsReadOnly: z.optional(z.literal(true)),
		isChanged: z.optional(z.literal(true)),
	}),
	z.object({
		kind: z.literal('agent'),
		agent: z.string(),
		does: z.enum(['read', 'edit', 'command', 'other']),
		title: z.string(),
		paths: strings,
		command: z.optional(z.string()),
		arguments: jsonObject,
		isContained: z.boolean(),
		always: z.optional(z.string()),
		hasOnce: z.boolean(),
		hasRefusal: z.boolean(),
	}),
]);

const approval = z.object({
	id: z.string(),
	hash: z.string(),
	act,
	summary: z.string(),
	subject: z.string(),
	keepsSubject: z.optional(z.boolean()),
	change: z.optional(fileChange),
	exactChange: z.optional(fileChange),
	facts: z.optional(z.array(pair)),
	verdict: z.object({
		effect: z.literal('ask'),
		why: z.optional(z.string()),
		suggestions: strings,
		mayBeDenied: z.optional(z.boolean()),
		outOfReach: z.optional(z.string()),
		reveals: z.optional(strings),
	}),
});

const userQuestion = z.object({
	question: z.string(),
	choices: z.array(z.object({label: z.string(), description: z.optional(z.string())})),
	form: z.optional(
		z.object({
			initial: z.string(),
			mayBeEmpty: z.boolean(),
			refusal: z.optional(z.string()),
			isNext: z.boolean(),
		}),
	),
});

const inquiry = z.object({
	question: z.string(),
	about: z.optional(about),
	subject: z.optional(subject),
	answers: z.array(
		z.object({
			key: z.string(),
			label: z.string(),
			value: z.string(),
			keeps: z.optional(z.object({rules: strings, life: z.string()})),
		}),
	),
	marks: z.optional(z.string()),
	isOfRun: z.optional(z.boolean()),
});

const pick = z.object({
	title: z.string(),
	choices: z.array(
		z.object({
			id: z.string(),
			label: z.string(),
			detail: z.optional(z.string()),
			isOther: z.optional(z.boolean()),
			group: z.optional(z.string()),
			preview: z.optional(safeLines),
			fields: z.optional(z.record(z.string(), z.union([z.string(), z.number()]))),
		}),
	),
	current: z.optional(z.string()),
	opensAt: z.optional(z.string()),
	opensItself: z.optional(z.boolean()),
	filters: z.optional(
		z.array(
			z.object({
				name: z.string(),
				compares: z.enum(['text', 'number', 'age']),
				example: z.string(),
				words: z.optional(strings),
			}),
		),
	),
});

/** What the screen asks with. */
type Screen = {readonly decide: Decide; readonly ask: AskUser; readonly interact: Interaction};

/**
 * Asks the user what a host asks, each part of which is read first: the host may be another machine. Returns the answer, undefined
 * for no. Throws AppError("upgrade") for a question that this version doesn't know, which nobody could answer knowingly.
 */
export async function askAs(
	{kind, question, signal, painted}: Pick<RemoteQuestion, 'kind' | 'question' | 'signal' | 'painted'>,
	{decide, ask, interact}: Screen,
): Promise<Json | undefined> {
	switch (kind) {
		case 'approval':
			return (await decide({...read(approval, question), onShown: painted}, signal)) satisfies ApprovalAnswer as Json;
		case 'user':
			return ask(read(userQuestion, question), signal);
		case 'inquiry':
			return interact.inquire?.({...read(inquiry, question), onShown: painted}, signal);
		case 'agree': {
			const agreed = read(z.object({question: z.string(), about}), question);
			return (await interact.agree?.(agreed.question, agreed.about, signal, painted)) === true ? true : undefined;
		}
		case 'confirm': {
			const confirm = z.object({question: z.string(), about: z.optional(about), subject: z.optional(subject)});
			const confirmed = read(confirm, question);
			return (await interact.confirm(confirmed.question, confirmed.about, confirmed.subject)) ? true : undefined;
		}
		case 'choose':
			return interact.choose(read(pick, question));
		case 'field':
			return interact.ask(
				read(z.object({label: z.string(), masked: z.boolean(), optional: z.optional(z.boolean())}), question),
			);
		default:
			return kind satisfies never;
	}
}

const cell = z.union([z.object({at: z.string()}), z.object({id: z.string()}), z.string()]);
const report = z.object({
	code: z.enum(Object.keys(exitStatus) as [keyof typeof exitStatus]),
	message: z.string(),
	hint: z.optional(z.string()),
});

const single = z.discriminatedUnion('kind', [
	z.object({
		kind: z.literal('text'),
		text: z.string(),
		hint: z.optional(z.string()),
		data: z.optional(json),
		leavesNothing: z.optional(z.literal(true)),
	}),
	z.object({kind: z.literal('record'), title: z.optional(z.string()), fields: z.array(pair), data: json}),
	z.object({
		kind: z.literal('table'),
		title: z.optional(z.string()),
		columns: z.array(
			z.object({
				label: z.string(),
				align: z.optional(z.literal('right')),
				spare: z.optional(z.boolean()),
				whole: z.optional(z.union([z.boolean(), z.literal('beside spare')])),
				cut: z.optional(z.literal('middle')),
			}),
		),
		rows: z.array(z.array(cell)),
		groups: z.optional(strings),
		empty: z.string(),
		notes: z.optional(strings),
		opens: z.optional(z.object({words: strings, ids: strings})),
		data: json,
	}),
	z.object({
		kind: z.literal('plot'),
		title: z.string(),
		plot: z.discriminatedUnion('shape', [
			z.object({
				shape: z.literal('bars'),
				bars: z.array(z.tuple([z.string(), z.number()])),
				rest: z.optional(z.string()),
			}),
			z.object({shape: z.literal('curve'), points: z.array(z.tuple([z.number(), z.number()]))}),
		]),
		data: z.optional(json),
	}),
	z.object({
		kind: z.literal('lines'),
		lines: safeLines,
		data: z.optional(json),
		records: z.optional(z.array(json)),
	}),
	// Nothing else of this machine opens because a host says so.
	z.object({
		kind: z.literal('panel'),
		panel: z.discriminatedUnion('show', [
			z.object({show: z.literal('session'), id: z.string()}),
			z.object({show: z.literal('clear')}),
			z.object({show: z.literal('queue')}),
		]),
	}),
]);

const group = z.object({
	kind: z.literal('group'),
	parts: z.array(z.unknown()),
	isDense: z.optional(z.literal(true)),
	data: json,
	failure: z.optional(report),
});

/** Groups in groups that a result may have. */
const maxDepth = 8;

/** Reads the result of a command that ran on a host. Throws AppError("upgrade") for one that this version doesn't know. */
export function readResult(result: Json, depth = 0): Result {
	const whole = group.safeParse(result);
	return whole.success && depth < maxDepth
		? {...whole.data, parts: whole.data.parts.map(part => readResult(part as Json, depth + 1))}
		: read(single, result);
}

function read<Schema extends z.ZodMiniType>(schema: Schema, value: unknown): z.infer<Schema> {
	const result = schema.safeParse(value);
	if (!result.success) {
		throw new AppError('upgrade', 'The host sent what this version does not know.', {
			hint: 'Install the same version of both.',
		});
	}

	return result.data;
}
