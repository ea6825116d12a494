import type {ChangeTracker} from '../agent/changes/change-tracker.ts';
import {runExternalAgent} from '../agent/external/external-run.ts';
import type {ExternalSession} from '../agent/external/external-session.ts';
import {handOverText} from '../agent/external/hand-over.ts';
import type {QueuedMessage, RunStarter} from '../agent/history.ts';
import type {ImageStore} from '../agent/images/model-images.ts';
import type {Mentions} from '../agent/mentions/read-mentions.ts';
import type {ToolPlace} from '../agent/tool-turn.ts';
import type {CommandPlace} from '../core/command-words.ts';
import {agentModel} from '../core/model.ts';
import type {AgentEvent} from '../core/session/event.ts';
import type {Transcript} from '../core/session/transcript.ts';
import type {AppStore} from '../store/store.ts';

/** What a run of another agent needs of the session that it belongs to. */
type ExternalRun = {
	readonly store: AppStore;
	readonly newId: () => string;
	readonly signal: AbortSignal;
	readonly workspace: () => string;
	readonly readFiles: ToolPlace['readFiles'];
	readonly approvals: {readonly startRun: (startedBy?: () => RunStarter) => ToolPlace['approvals']};
	readonly starter: {readonly startedBy: RunStarter};
	readonly changes: ChangeTracker | undefined;
	readonly images?: ImageStore;
	readonly mentions?: Omit<Mentions, 'logs'>;
	readonly commandPlace?: () => CommandPlace;
	readonly budget?: {readonly limitUsd: number};
	readonly saved: () => Promise<void>;
	readonly prompt: QueuedMessage;
	readonly nextMessages: () => readonly QueuedMessage[];
};

/** Starts another agent on the conversation so far, in place of our own: the same events, approvals and journal. */
export function startExternal(session: ExternalSession, options: ExternalRun): AsyncIterable<AgentEvent> {
	const {store, newId, signal, starter, approvals, images, mentions, prompt, nextMessages, budget, saved} = options;
	const {transcript} = store.getState();
	return runExternalAgent({
		session,
		runId: newId(),
		newId,
		signal,
		prompt,
		nextMessages,
		images,
		changes: options.changes,
		mentions: mentions && {...mentions, logs: () => store.getState().logs},
		place: {
			workspace: options.workspace(),
			readFiles: options.readFiles,
			approvals: approvals.startRun(() => starter.startedBy),
			commandPlace: options.commandPlace?.(),
		},
		handOver: () => handOverText(transcript),
		saved,
		spentUsd: spentBy(session.command.name, transcript),
		isTitled: transcript.title !== '',
		budgetUsd: budget?.limitUsd,
	});
}

/** Returns what an agent has cost in a session so far, by what it said. */
function spentBy(agent: string, {usage}: Transcript): number {
	const model = agentModel(agent);
	return [...usage.values()].reduce((sum, each) => sum + (each.model === model ? (each.usage.costUsd ?? 0) : 0), 0);
}
