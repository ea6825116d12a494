import {redactKnown} from '../../src/core/secrets/redact.ts';
import type {Recorded} from '../../src/core/session/event.ts';
import {createConversation, openSession, type SessionParts} from '../../src/session/conversation.ts';
import {createSwitch} from '../../src/session/session-switch.ts';
import {createAppStore} from '../../src/store/store.ts';
import {approvalsOf, echo, type Script, scriptedModel} from '../agent/scripted.ts';

export const server = 'https://one.example';

/** A conversation with a scripted model and logs in memory, by session. */
export function scripted(scripts: readonly Script[], changes: Partial<SessionParts> = {}) {
	const store = createAppStore();
	store.getState().setModel('custom/demo');
	store.getState().setConnection({profile: 'one', server, state: 'ready'});
	const logs = new Map<string, Recorded[]>();
	const closed: string[] = [];
	const model = scriptedModel(...scripts);
	let ids = 0;
	const session = openSession({
		store,
		newId: () => `id-${++ids}`,
		now: () => '2026-01-01T00:00:00.000Z',
		openModel: async () => model.ask,
		loadTools: async () => [echo],
		workspace: () => '/',
		createApprovals: () => approvalsOf(async () => ({allowed: false})),
		hide: redactKnown,
		readLog: async session => logs.get(session) ?? [],
		openLog(session) {
			const records = logs.get(session) ?? [];
			logs.set(session, records);
			return {
				append: record => records.push(record),
				flush: async () => undefined,
				settle: async () => undefined,
				close: async () => void closed.push(session),
			};
		},
		...changes,
	});
	const conversation = createConversation(() => session, createSwitch());
	const records = () => [...logs.values()].flat();
	return {
		store,
		conversation,
		model,
		logs,
		closed,
		records,
		types: () => records().map(({event}) => event.type),
		ends: () => records().flatMap(({event}) => (event.type === 'run-end' ? [event.reason] : [])),
		transcript: () => store.getState().transcript,
	};
}
