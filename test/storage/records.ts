import type {AgentEvent, Recorded} from '../../src/core/session/event.ts';

export const sessionId = '0f9b4e6a-5a37-4c8e-9d3a-1f2e3d4c5b6a';

/** Events as records of one session, a second apart. */
export function recorded(events: readonly AgentEvent[], session = sessionId, from = 0): readonly Recorded[] {
	return events.map((event, index) => ({
		v: 1,
		seq: from + index,
		at: new Date(Date.UTC(2026, 0, 1) + (from + index) * 1000).toISOString(),
		session,
		server: 'local',
		event,
	}));
}

/** A run with one question and an answer in two pieces. */
export function run(text: string, model = 'custom/demo'): readonly AgentEvent[] {
	return [
		{type: 'run-start', runId: 'r1', model},
		{type: 'user-message', id: 'u1', text},
		{type: 'text-delta', id: 't1', messageId: 'm1', text: 'Hel'},
		{type: 'text-delta', id: 't1', messageId: 'm1', text: 'lo.'},
		{type: 'run-end', reason: 'done', stopReason: 'end_turn'},
	];
}

export function linesOf(records: readonly Recorded[]): string {
	return records.map(record => `${JSON.stringify(record)}\n`).join('');
}
