import {createHash} from 'node:crypto';
import type {AgentEvent} from '../../core/session/event.ts';
import type {ToolContext} from '../../core/session/tool.ts';

/** A question as it is recorded and shown. `id` is the call that waits, `hash` identifies exactly what is allowed. */
type ApprovalRequest = Omit<Extract<AgentEvent, {type: 'approval-request'}>, 'type'>;

/** The user's answer. `session` allows the same thing for the rest of the session. */
export type Decision = 'no' | 'once' | 'session';

/** Asks the user a question. Throws the signal's reason if the run ends first. */
export type Decide = (request: ApprovalRequest, signal: AbortSignal) => Promise<Decision>;

type Call = {readonly id: string; readonly signal: AbortSignal; readonly emit: (event: AgentEvent) => void};

/** Binds a tool call to the approvals of its session. `emit` gets the question and the answer as events. */
export type Approvals = (call: Call) => ToolContext['approve'];

/** Refuses everything, for a run without a user. */
export const refuseAll: Decide = async () => 'no';

/** Creates the approvals of a session. It asks one question at a time, and never again what the session allows. */
export function createApprovals(decide: Decide): Approvals {
	const allowed = new Set<string>();
	let previous: Promise<unknown> = Promise.resolve();

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
			const answer = previous.then(() => ask(summary, hash));
			previous = answer.catch(() => undefined);
			return answer;
		};
	};
}
