import {createHash} from 'node:crypto';
import type {AgentEvent} from '../../core/session/event.ts';
import type {ToolContext} from '../../core/session/tool.ts';

/** A question as it is recorded and shown: `id` is the call that waits for it, `hash` is of exactly what is allowed. */
export type ApprovalRequest = Omit<Extract<AgentEvent, {type: 'approval-request'}>, 'type'>;

/** What the user says to it. `session` allows the same thing for the rest of the session. */
export type Decision = 'no' | 'once' | 'session';

/** Puts a question to whoever can answer it. Throws the signal's reason where the run ends first. */
export type Decide = (request: ApprovalRequest, signal: AbortSignal) => Promise<Decision>;

type Call = {readonly id: string; readonly signal: AbortSignal; readonly emit: (event: AgentEvent) => void};

/** Binds a call of a tool to the approvals of its session: question and answer become events beside its own. */
export type Approvals = (call: Call) => ToolContext['approve'];

/** Refuses everything, where there is nobody to ask. */
export const refuseAll: Decide = async () => 'no';

/** Asks one question at a time, and none twice that was answered for the session. */
export function createApprovals(decide: Decide): Approvals {
	const allowed = new Set<string>();
	let before: Promise<unknown> = Promise.resolve();

	return ({id, signal, emit}) => {
		const ask = async (summary: string, hash: string) => {
			signal.throwIfAborted();
			if (allowed.has(hash)) {
				return true;
			}

			emit({type: 'approval-request', id, summary, hash});
			const decision = await decide({id, summary, hash}, signal);
			signal.throwIfAborted();
			emit({type: 'approval-answer', id, allowed: decision !== 'no', hash});
			if (decision === 'session') {
				allowed.add(hash);
			}

			return decision !== 'no';
		};

		return ({summary, subject}) => {
			const hash = createHash('sha256').update(subject).digest('hex');
			const answer = before.then(() => ask(summary, hash));
			before = answer.catch(() => undefined);
			return answer;
		};
	};
}
