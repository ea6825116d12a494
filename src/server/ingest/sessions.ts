import type {Selectable} from 'kysely';
import type {DatabaseTransaction, Tables} from '../database/tables.ts';
import {chunks} from './ids.ts';
import {messagesOf, storeMessages} from './messages.ts';
import {textAt} from './read-attributes.ts';
import {type FactName, factNames, factsOf} from './session-facts.ts';
import {type Touched, toTime} from './store-spans.ts';

type Row = Selectable<Tables['sessions']>;

export type Origin = {
	readonly organizationId: string;
	readonly workspaceId: string;
	readonly projectId: string;
	/** Who sent the spans; who sent the first one owns the session. */
	readonly userId: string;
};

/** Writes the sessions that spans belong to, and their messages. The caller holds the workspace. */
export async function deriveSessions(
	transaction: DatabaseTransaction,
	origin: Origin,
	touched: readonly Touched[],
): Promise<void> {
	const bySession = new Map<string, Touched[]>();
	for (const each of touched) {
		if (each.session_id !== null) {
			const those = bySession.get(each.session_id) ?? [];
			those.push(each);
			bySession.set(each.session_id, those);
		}
	}

	const known = new Map<string, Row>();
	for (const some of chunks([...bySession.keys()])) {
		for (const row of await transaction.selectFrom('sessions').selectAll().where('id', 'in', some).execute()) {
			known.set(row.id, row);
		}
	}

	for (const [id, spans] of bySession) {
		const row = known.get(id);
		const next = spans.reduce(tell, row ?? newSession(id, origin, spans));
		if (row) {
			const {id: _, ...changes} = next;
			await transaction.updateTable('sessions').set(changes).where('id', '=', id).execute();
		} else {
			await transaction.insertInto('sessions').values(next).execute();
		}
	}

	await storeMessages(transaction, touched.flatMap(messagesOf));
}

function newSession(id: string, origin: Origin, spans: readonly Touched[]): Row {
	const [first] = spans;
	const started = toTime(first?.span.startedAt ?? 0);
	const name = spans
		.map(({span}) => textAt(span.attributes, 'gen_ai.conversation.id'))
		.find(text => text !== undefined);
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

/** The session after one more span, in whatever order they come. */
function tell(row: Row, touched: Touched): Row {
	const {startedAt, endedAt} = touched.span;
	const saidAt: Partial<Record<FactName, number>> = JSON.parse(row.said_at);
	const facts = factsOf(touched);
	const changes: Partial<Record<FactName, string>> = {};
	for (const name of factNames) {
		const said = facts[name];
		const before = saidAt[name] ?? -1;
		if (said !== undefined && (endedAt > before || (endedAt === before && said > String(row[name])))) {
			changes[name] = said;
			saidAt[name] = endedAt;
		}
	}

	const messages = messagesOf(touched).filter(({role}) => role !== 'tool');
	const lastMessage = messages.map(({at_us}) => toTime(at_us));
	const isEvaluated = touched.evaluation_id !== null && saidAt.origin === undefined;
	return {
		...row,
		...(isEvaluated && {origin: 'eval'}),
		...(changes as Partial<Row>),
		...(changes.frozen_by !== undefined && {frozen_at: toTime(endedAt)}),
		last_message_at: latest([row.last_message_at, ...lastMessage]),
		said_at: JSON.stringify(saidAt),
		created_at: [row.created_at, toTime(startedAt)].sort()[0] ?? row.created_at,
		updated_at: latest([row.updated_at, toTime(endedAt)]) ?? row.updated_at,
	};
}

/** The last of some times. */
function latest(times: readonly (string | null)[]): string | null {
	return (
		times
			.filter(time => time !== null)
			.sort()
			.at(-1) ?? null
	);
}
