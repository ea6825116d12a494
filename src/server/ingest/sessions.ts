import type {Selectable} from 'kysely';
import * as z from 'zod/mini';
import {sessionSchema} from '../../contract/resources/session.ts';
import {groupBy} from '../../core/group-by.ts';
import {isUuid} from '../../core/uuid.ts';
import {insertRows} from '../database/insert-rows.ts';
import type {DatabaseTransaction, Tables} from '../database/tables.ts';
import {isGeneration, modelOf} from './generation.ts';
import {chunks} from './ids.ts';
import {countsAsMessage, readMessages, type SpanMessages, storeMessages} from './messages.ts';
import {maxTitleLength, nameAt, objectAt, textAt, valueAt, wordAt} from './read-attributes.ts';
import {type Touched, toTime} from './store-spans.ts';

type Row = Selectable<Tables['sessions']>;

export type SpanSender = {
	readonly organizationId: string;
	readonly workspaceId: string;
	readonly projectId: string;
	/** The user who sent the spans. The sender of the first span owns the session. */
	readonly userId: string;
};

/** Writes the sessions that spans belong to, and their messages. The caller must have locked the workspace. */
export async function deriveSessions(
	transaction: DatabaseTransaction,
	origin: SpanSender,
	touched: readonly Touched[],
): Promise<void> {
	const bySession = groupBy(touched, each => each.session_id);
	const known = new Map<string, Row>();
	for (const some of chunks([...bySession.keys()])) {
		const rows = await transaction
			.selectFrom('sessions')
			.selectAll()
			.where('id', 'in', some)
			// If another workspace just took the id, the insert fails.
			.where('workspace_id', '=', origin.workspaceId)
			.execute();
		for (const row of rows) {
			known.set(row.id, row);
		}
	}

	const messages: SpanMessages['messages'][number][] = [];
	const fresh: Row[] = [];
	const changed: Row[] = [];
	for (const [id, spans] of bySession) {
		const read = spans.map(each => ({each, ...readMessages(each)}));
		messages.push(...read.flatMap(each => each.messages));
		const row = known.get(id);
		const next = applySpans(row ?? newSession(id, origin, spans), read, origin.userId);
		(row ? changed : fresh).push(next);
	}

	await insertRows(transaction, 'sessions', fresh, '');
	await insertRows(transaction, 'sessions', changed, replaceSession);

	await storeMessages(transaction, messages);
}

/** What spans say about the session itself. For each field, the span that ended last counts. */
const factNames = [
	'agent',
	'model',
	'title',
	'preview_text',
	'origin',
	'visibility',
	'labels',
	'runtime_id',
	'archived_at',
	'frozen_by',
] as const;

/** The columns that spans change. */
const changing = [
	...factNames,
	'frozen_at',
	'last_message_at',
	'said_at',
	'created_at',
	'updated_at',
] as const satisfies readonly (keyof Row)[];

const replaceSession = `on conflict (id) do update set ${changing.map(name => `${name} = excluded.${name}`).join(', ')}`;

function newSession(id: string, origin: SpanSender, spans: readonly Touched[]): Row {
	const [first] = spans;
	const started = toTime(first?.span.startedAt ?? 0);
	const [name] = spans.flatMap(
		({span}) =>
			nameAt(span.attributes, 'gen_ai.conversation.id') ?? nameAt(span.resource, 'gen_ai.conversation.id') ?? [],
	);
	return {
		id,
		organization_id: origin.organizationId,
		workspace_id: origin.workspaceId,
		project_id: origin.projectId,
		conversation_id: name ?? id,
		user_id: origin.userId,
		runtime_id: null,
		agent: null,
		model: 'unknown',
		title: null,
		preview_text: null,
		origin: 'user',
		visibility: 'private',
		labels: '{}',
		archived_at: null,
		frozen_at: null,
		frozen_by: null,
		last_message_at: null,
		said_at: '{}',
		created_at: started,
		updated_at: started,
	};
}

/** Returns the session after more spans. Their order doesn't matter. */
function applySpans(row: Row, read: readonly (SpanMessages & {readonly each: Touched})[], userId: string): Row {
	const saidAt: Partial<Record<FactName, number>> = JSON.parse(row.said_at);
	const changes: Partial<Record<FactName, string>> = {};
	for (const {each, userText} of read) {
		const {endedAt} = each.span;
		const facts = factsOf(each, userText);
		for (const name of factNames) {
			// Only the owner of a session may change its visibility, not everyone who adds to it.
			const value = name === 'visibility' && userId !== row.user_id ? undefined : facts[name];
			const before = saidAt[name] ?? -1;
			if (
				value !== undefined &&
				(endedAt > before || (endedAt === before && value > String(changes[name] ?? row[name])))
			) {
				changes[name] = value;
				saidAt[name] = endedAt;
			}
		}
	}

	const isEvaluated = saidAt.origin === undefined && read.some(({each}) => each.evaluation_id !== null);
	const spans = read.map(({each}) => each.span);
	const messages = read.flatMap(each => each.messages).filter(({role}) => countsAsMessage(role));
	const lastMessage = messages.reduce((latest, {at_us}) => Math.max(latest, at_us), 0);
	return {
		...row,
		...(isEvaluated && {origin: 'eval'}),
		...(changes as Partial<Row>),
		...(changes.frozen_by !== undefined && saidAt.frozen_by !== undefined && {frozen_at: toTime(saidAt.frozen_by)}),
		last_message_at: messages.length > 0 ? later(row.last_message_at, toTime(lastMessage)) : row.last_message_at,
		said_at: JSON.stringify(saidAt),
		created_at: earlier(
			row.created_at,
			toTime(spans.reduce((earliest, {startedAt}) => Math.min(earliest, startedAt), Infinity)),
		),
		updated_at: later(row.updated_at, toTime(spans.reduce((latest, {endedAt}) => Math.max(latest, endedAt), 0))),
	};
}

const later = (time: string | null, other: string) => (time !== null && time > other ? time : other);
const earlier = (time: string, other: string) => (time < other ? time : other);

type FactName = (typeof factNames)[number];
type Facts = Readonly<Partial<Record<FactName, string>>>;

/** Maximum length of a session's preview, in characters. */
const maxPreviewLength = 200;

const labelsSchema = z.record(z.string(), z.array(z.string()));

/** Returns what one span says about its session, as stored in the table. `userText` is the user's last message in it. */
function factsOf({span, type}: Touched, userText: string | undefined): Facts {
	const {attributes, endedAt} = span;
	const labels = objectAt(attributes, 'service.session.labels');
	const runtime = textAt(attributes, 'service.runtime.id')?.toLowerCase();
	const isArchived = valueAt(attributes, 'service.session.archived') === true;
	return {
		agent: textAt(attributes, 'gen_ai.agent.name'),
		model: isGeneration(type, attributes) ? modelOf(attributes) : undefined,
		title: textAt(attributes, 'service.session.title')?.slice(0, maxTitleLength),
		preview_text: userText?.trim().slice(0, maxPreviewLength) || undefined,
		origin: wordAt(attributes, 'service.session.origin', ['user', 'eval', 'worker']),
		visibility: wordAt(attributes, 'service.session.visibility', sessionSchema.shape.visibility.options),
		labels: labels && z.safeParse(labelsSchema, labels).success ? JSON.stringify(labels) : undefined,
		runtime_id: runtime !== undefined && isUuid(runtime) ? runtime : undefined,
		archived_at: isArchived ? toTime(endedAt) : undefined,
		frozen_by: wordAt(attributes, 'service.session.frozen_by', ['evaluation', 'user']),
	};
}
