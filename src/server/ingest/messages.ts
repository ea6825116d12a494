import type {Insertable} from 'kysely';
import {derivedId} from '../../core/derived-id.ts';
import {isJsonObject, type Json, type JsonObject} from '../../core/json.ts';
import {insertRows} from '../database/insert-rows.ts';
import type {DatabaseTransaction, Tables} from '../database/tables.ts';
import {bucketsOf, isGeneration, modelOf} from './generation.ts';
import {amountAt, jsonAt, maxNameLength, nameAt, textAt, valueAt} from './read-attributes.ts';
import type {Touched} from './store-spans.ts';

type Message = Insertable<Tables['session_messages']>;

const noBuckets = {
	input_tokens: 0,
	cache_read_input_tokens: 0,
	cache_creation_input_tokens: 0,
	output_tokens: 0,
};

/** What a span says about the messages of its session. */
export type SpanMessages = {
	/** Messages, tool calls and compactions. */
	readonly messages: readonly Message[];
	/** The text of the user's message, if it has one. */
	readonly userText?: string | undefined;
};

export function readMessages({session_id, span, type}: Touched): SpanMessages {
	if (session_id === null) {
		return {messages: []};
	}

	const {attributes, spanId, startedAt} = span;
	if (type === 'execute_tool' && valueAt(attributes, 'service.usage.only') === true) {
		return {messages: []};
	}

	if (type === 'execute_tool') {
		const id = nameAt(attributes, 'gen_ai.tool.call.id') ?? spanId;
		return {messages: [rowOf(session_id, span, {message_id: `tool/${id}`, role: 'tool', tool_call_count: 1})]};
	}

	const userText = lastUserText(attributes);
	const named = namedMessages(attributes);
	const users = (ids: readonly string[]) =>
		ids.map(id => rowOf(session_id, span, {message_id: `user/${id}`, role: 'user', at_us: startedAt}));
	if (!isGeneration(type, attributes)) {
		const compaction = rowOf(session_id, span, {message_id: `compaction/${spanId}`, role: 'compaction'});
		return {messages: [...(type === 'compaction' ? [compaction] : []), ...users(named ?? [])]};
	}

	const messages = [
		...users(named ?? (userText === undefined ? [] : [userText.id])),
		...generationOf(session_id, span),
	];
	// What a sub-agent is told is not the user's.
	return {messages, ...(named?.length !== 0 && {userText: userText?.text})};
}

type OwnFields = Pick<Message, 'message_id' | 'role'> & {readonly tool_call_count?: number; readonly at_us?: number};

/** Returns a row that is no generation. */
function rowOf(
	session_id: string,
	{spanId, endedAt}: Touched['span'],
	{message_id, role, tool_call_count = 0, at_us = endedAt}: OwnFields,
): Message {
	return {
		session_id,
		span_id: spanId,
		message_id,
		role,
		model: null,
		tool_call_count,
		cost_usd: null,
		is_generation: 0,
		at_us,
		...noBuckets,
	};
}

/** Returns the row of a generation; none for a call that failed before the model responded. */
function generationOf(session_id: string, span: Touched['span']): readonly Message[] {
	const {attributes, spanId, statusCode, endedAt} = span;
	const buckets = bucketsOf(attributes);
	const isEmpty = Object.values(buckets).every(count => count === 0);
	if (statusCode === 2 && isEmpty) {
		return [];
	}

	const isUsageOnly = valueAt(attributes, 'service.usage.only') === true;
	const isTask = textAt(attributes, 'service.usage.cause') === 'task';
	return [
		{
			session_id,
			span_id: spanId,
			message_id: `message/${nameAt(attributes, 'gen_ai.response.id') ?? spanId}`,
			role: isTask ? 'task' : isUsageOnly ? 'request' : 'assistant',
			model: modelOf(attributes) ?? null,
			cost_usd: amountAt(attributes, 'service.usage.cost_usd') ?? null,
			tool_call_count: 0,
			is_generation: 1,
			at_us: endedAt,
			...buckets,
		},
	];
}

/** Returns the ids of the user's messages that a span names; undefined if it names none. */
function namedMessages(attributes: JsonObject): readonly string[] | undefined {
	const ids = jsonAt(attributes, 'service.input.message_ids');
	return Array.isArray(ids)
		? ids.filter(id => typeof id === 'string' && id !== '' && id.length <= maxNameLength).slice(0, maxNamed)
		: undefined;
}

/** The most messages that one span may name. */
const maxNamed = 1000;

/** Returns whether a row is a message, not a part of one or the usage of a request without one. */
export const countsAsMessage = (role: string) => !uncounted.includes(role);

/** Roles of rows that are no messages. */
export const uncounted: readonly string[] = ['tool', 'request', 'task'];

/**
 * Returns the user's last message, if the model was asked to answer it. The same text at the same position is the same
 * message.
 */
function lastUserText(attributes: JsonObject): {readonly id: string; readonly text: string} | undefined {
	const messages = jsonAt(attributes, 'gen_ai.input.messages');
	const last = Array.isArray(messages) ? messages.at(-1) : undefined;
	if (!Array.isArray(messages) || !isJsonObject(last) || last['role'] !== 'user') {
		return undefined;
	}

	const text = textOf(last['parts'] ?? last['content']);
	return {id: derivedId(String(messages.length), JSON.stringify(last)), text};
}

/** Returns the text parts of a message. */
function textOf(content: Json | undefined): string {
	if (typeof content === 'string') {
		return content;
	}

	const parts = Array.isArray(content) ? content.filter(isJsonObject) : [];
	return parts
		.map(part => part['content'] ?? part['text'])
		.filter(text => typeof text === 'string')
		.join('\n');
}

/** Returns whether `message` comes from a later span than `other`. The later one counts. */
const isLater = (message: Message, other: Message) =>
	message.at_us === other.at_us ? message.span_id > other.span_id : message.at_us > other.at_us;

/** What usage derives from. */
export const usageColumns = [
	'role',
	'model',
	'input_tokens',
	'cache_read_input_tokens',
	'cache_creation_input_tokens',
	'output_tokens',
	'tool_call_count',
	'cost_usd',
	'is_generation',
	'at_us',
] as const satisfies readonly (keyof Message)[];

const replaceEarlier = `on conflict (session_id, message_id) do update
	set ${['span_id', ...usageColumns].map(name => `${name} = excluded.${name}`).join(', ')}
	where (session_messages.at_us, session_messages.span_id) < (excluded.at_us, excluded.span_id)`;

/** Stores messages. A later version of a message replaces the earlier one as a whole. */
export async function storeMessages(transaction: DatabaseTransaction, messages: readonly Message[]): Promise<void> {
	const latest = new Map<string, Message>();
	for (const message of messages) {
		const key = `${message.session_id}/${message.message_id}`;
		const other = latest.get(key);
		if (!other || isLater(message, other)) {
			latest.set(key, message);
		}
	}

	await insertRows(transaction, 'session_messages', [...latest.values()], replaceEarlier);
	const compactions = [...latest.values()].filter(({role}) => role === 'compaction');
	await insertRows(
		transaction,
		'session_compactions',
		compactions.map(({session_id, span_id, at_us}) => ({session_id, span_id, at_us})),
		'on conflict do nothing',
	);
}
