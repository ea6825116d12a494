import {createHash} from 'node:crypto';
import {AppError} from '../../core/error.ts';
import type {Act, Approval} from '../../core/session/approval.ts';
import type {AgentEvent, FileChange} from '../../core/session/event.ts';
import type {ToolContext} from '../../core/session/tool.ts';

/** A question as it is recorded. `id` is the call that waits, `hash` identifies exactly what is allowed. */
type RecordedRequest = Omit<Extract<AgentEvent, {type: 'approval-request'}>, 'type'>;

/** A question as it is shown. Its `change` is exact, while the recorded one has no credentials. */
export type ApprovalRequest = Omit<RecordedRequest, 'kind'> & Pick<Approval, 'act'> & {readonly change?: FileChange};

/**
 * The answer. `session` allows the same thing for the rest of the session; for an edit, all edits that aren't of secret
 * files. `unasked` is a no because nobody can be asked.
 */
export type Decision = 'no' | 'once' | 'session' | 'unasked';

/** Asks the user a question. Throws the signal's reason if the run ends first. */
export type Decide = (request: ApprovalRequest, signal: AbortSignal) => Promise<Decision>;

type Call = {readonly id: string; readonly signal: AbortSignal; readonly emit: (event: AgentEvent) => void};

/** Binds a tool call to the approvals of its session. `emit` gets the question and the answer as events. */
export type Approvals = (call: Call) => ToolContext['approve'];

/** What a run without a user may do: nothing that needs approval, edits of files, or everything. */
export type UnaskedMode = 'never' | 'edits' | 'all';

/** Returns the answers of a run without a user. Only `all` allows secret files. */
export function decideUnasked(mode: UnaskedMode): Decide {
	return async ({act}) => (mode === 'all' || (mode === 'edits' && act.kind === 'edit') ? 'once' : 'unasked');
}

/** Refuses everything, for a run without a user. */
export const refuseAll: Decide = decideUnasked('never');

/** Creates the approvals of a session. It asks one question at a time, and never again what the session allows. */
export function createApprovals(decide: Decide): Approvals {
	const allowed = new Set<string>();
	let allowsEdits = false;
	let previous: Promise<unknown> = Promise.resolve();

	return ({id, signal, emit}) => {
		const ask = async ({act, summary, change, exactChange}: Approval, hash: string) => {
			const {kind} = act;
			signal.throwIfAborted();
			if (allowed.has(hash) || (allowsEdits && kind === 'edit')) {
				return {allowed: true};
			}

			const request = {id, summary, hash, ...(change && {change})};
			emit({type: 'approval-request', ...request, kind});
			const decision = await decide({...request, act, ...(exactChange && {change: exactChange})}, signal);
			signal.throwIfAborted();
			const isAllowed = decision === 'once' || decision === 'session';
			emit({type: 'approval-answer', id, allowed: isAllowed, hash});
			if (decision === 'session') {
				allowed.add(hash);
				allowsEdits ||= kind === 'edit';
			}

			if (decision === 'unasked') {
				throw new AppError('failed', `Not allowed: ${summary} This run can't ask the user for approval.`, {
					hint: `Continue without it, and tell the user that ${flagFor(kind)} allows it.`,
				});
			}

			return {allowed: isAllowed};
		};

		return request => {
			const hash = createHash('sha256').update(request.subject).digest('hex');
			const answer = previous.then(() => ask(request, hash));
			previous = answer.catch(() => undefined);
			return answer;
		};
	};
}

/** Returns the flag that allows this in a run without a user. */
function flagFor(kind: Act['kind']): string {
	return kind === 'edit' ? '--approve edits' : '--approve all';
}
