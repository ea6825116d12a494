import {expect} from 'vitest';
import type {ForeignLine, ForeignSession} from '../../../src/core/foreign/foreign-session.ts';
import {readTranscript} from '../../../src/core/foreign/read-transcript.ts';
import type {AgentEvent} from '../../../src/core/session/event.ts';
import {toMessages} from '../../../src/core/session/read-conversation.ts';
import {reduceAll, toRecords} from '../records.ts';

export const sessionId = '5b1c0c7e-1c7e-4f6e-9a55-0123456789ab';

/** Returns the conversation in lines of a file with the id above. */
export function readLines(...values: readonly unknown[]): ForeignSession {
	const lines = values.map((value): ForeignLine => ({value}));
	return readTranscript(lines, `/x/${sessionId}.jsonl`) ?? expect.fail('No transcript.');
}

/** Returns what the model reads of a conversation. */
export function messagesOf({events}: ForeignSession) {
	return toMessages(reduceAll(toRecords(events.map(({event}) => event))));
}

export function eventsOf<T extends AgentEvent['type']>({events}: ForeignSession, type: T) {
	return events.flatMap(({event}) => (event.type === type ? [event as Extract<AgentEvent, {type: T}>] : []));
}

export function leftOf({remainder: {left, asText}}: ForeignSession) {
	return {...Object.fromEntries(left), ...Object.fromEntries(asText)};
}

let count = 0;

/** A line of Claude Code below the one before it. */
export function claude(type: string, message: unknown, more: Readonly<Record<string, unknown>> = {}) {
	count += 1;
	return {
		parentUuid: count === 1 ? null : `u${count - 1}`,
		isSidechain: false,
		userType: 'external',
		cwd: '/work/shop',
		sessionId,
		version: '2.1.63',
		gitBranch: 'main',
		type,
		message,
		uuid: `u${count}`,
		timestamp: new Date(Date.UTC(2026, 2, 1) + count * 1000).toISOString(),
		...more,
	};
}

/** Begins another conversation of `claude`. */
export function beginClaude(): void {
	count = 0;
}

export const asked = (content: unknown, more = {}) => claude('user', {role: 'user', content}, more);
export const answered = (content: unknown, id: string, more = {}) =>
	claude('assistant', {id, role: 'assistant', model: 'claude-opus-4-6', content}, more);
export const result = (id: string, content: unknown, more = {}) =>
	asked([{type: 'tool_result', tool_use_id: id, content, is_error: false}], more);

/** A line of Codex in its envelope. */
export const codex = (type: string, payload: unknown) => ({timestamp: '2026-03-01T00:00:00.000Z', type, payload});
export const item = (type: string, more: Readonly<Record<string, unknown>>) => codex('response_item', {type, ...more});
export const spoke = (role: string, text: string) =>
	item('message', {role, content: [{type: role === 'assistant' ? 'output_text' : 'input_text', text}]});
