import type {Changes} from '../agent/changes/changes.ts';
import type {AgentCommand} from '../agent/external/agent-command.ts';
import type {FolderAccess} from '../config/folder-access.ts';
import {abortable} from '../core/abortable.ts';
import {AppError, reportError} from '../core/error.ts';
import {formatAmount} from '../core/format.ts';
import {demoModel, isAgentModel, servedDemoModel} from '../core/model.ts';
import {shellLine} from '../core/program-name.ts';
import {changeSteps} from '../core/session/changes.ts';
import type {Handoff} from '../core/session/event.ts';
import {countsIn, type SessionRule} from '../core/session/session-rules.ts';
import {lastModelOf, type OtherAgent, type Transcript} from '../core/session/transcript.ts';
import {shellWord} from '../core/shell-word.ts';
import {realFolder} from '../storage/real-folder.ts';
import type {SessionAccess} from '../storage/session-access.ts';
import type {SessionSummary} from '../storage/session-summary.ts';
import type {AppStore} from '../store/store.ts';
import type {Conversation} from './conversation.ts';
import type {Conversations} from './conversations.ts';
import {logOf} from './recorder.ts';

/** A session that started in another folder than the one that the agent works in. */
export type SessionElsewhere = {
	readonly id: string;
	/** Where it started. */
	readonly folder: string;
	/** Where the agent works now. */
	readonly here: string;
	/** False if that folder is gone. */
	readonly isThere: boolean;
};

/** Asks the user in which folder such a session continues. Returns undefined if they cancel. */
type ChooseFolder = (session: SessionElsewhere) => Promise<'there' | 'here' | undefined>;

/**
 * Continues a session, given its id, a unique prefix, or `latest`. Returns what the user should know; undefined if they
 * cancelled. Throws the signal's reason until the session is open; then it is continued.
 */
export type ResumeSession = (
	wanted: string,
	choose: ChooseFolder,
	signal?: AbortSignal,
) => Promise<readonly string[] | undefined>;

type Dependencies = {
	readonly store: AppStore;
	readonly conversations: () => Conversations;
	/** The sessions of the folder that the agent works in now. */
	readonly sessions: () => SessionAccess;
	readonly folder: FolderAccess;
	/** Returns the agent of a session as the user added it, or as its journal has it. */
	readonly findAgent?: (agent: OtherAgent) => AgentCommand;
	/**
	 * Asks where a session is that was handed over. Returns if it is here, and recorded so. Throws AppError("conflict") if it's elsewhere,
	 * or that isn't known.
	 */
	readonly settle: (session: SessionSummary, handoff: Handoff) => Promise<void>;
	/** Opens the changes of files in the folder that the agent works in now. */
	readonly changes: () => Promise<Pick<Changes, 'finish'>>;
	/** True if the command line names an agent, which then answers in the session that it resumes. */
	readonly isAgentGiven?: boolean;
	/** True if the command line names a model: that is a choice for the session that it resumes. */
	readonly isModelGiven?: boolean;
};

/**
 * Returns a function that continues a session, given its id, a unique prefix, or `latest` for the newest of the folder.
 * The session gets the model that answered last in it, unless another one is selected. The agent never starts to read
 * another folder, or one that the session does not know, unless the user chose it. Returns notices for the user, or
 * undefined if they cancel. Throws what `SessionAccess` throws, and AppError("conflict") if another window has it open.
 */
export function createResume({store, conversations, sessions, folder, ...given}: Dependencies): ResumeSession {
	let {isModelGiven = false, isAgentGiven = false} = given;
	const {findAgent = agentOf} = given;
	const resume: ResumeSession = async (wanted, choose, signal = never) => {
		const {conversation, background} = conversations();
		// Its journal may not be written yet.
		const behind = background.find(wanted);
		if (behind !== undefined) {
			await background.bring(behind);
			return [];
		}

		const session = await abortable(sessions().findOrLatest(wanted === 'latest' ? undefined : wanted), signal);
		if (store.getState().transcript.session === session.id) {
			return [];
		}

		const here = folder.path();
		const isElsewhere = session.folder !== '' && session.folder !== here;
		const there = isElsewhere ? realFolder(session.folder) : undefined;
		const chosen = isElsewhere
			? await choose({id: session.id, folder: session.folder, here, isThere: there !== undefined})
			: 'here';
		if (chosen === undefined) {
			return undefined;
		}

		const {transcript, journal, notices} = await sessions().resume(session, signal);
		const {handoff} = transcript;
		if (handoff && handoff.state !== 'kept') {
			await journal.close();
			await given.settle(session, handoff);
			return resume(wanted, choose, signal);
		}

		await conversation.open(transcript, logOf(Promise.resolve(journal)));
		if (chosen === 'there' && there !== undefined) {
			folder.moveTo(there);
		}

		if (isAgentGiven) {
			isAgentGiven = false;
		} else {
			store.getState().setAgent(transcript.agent && findAgent(transcript.agent));
		}

		const last = lastModelOf(transcript);
		if (isModelGiven) {
			isModelGiven = false;
			store.getState().setModel(store.getState().model);
		} else if (!store.getState().model && last !== demoModel && last !== servedDemoModel && !isAgentModel(last)) {
			// Not as a choice of the user: where it is now may not be where the session talked to.
			store.setState({model: last});
		}

		const restored = [
			...notices,
			...rulesNotice(transcript.rules, folder.path()),
			...(await finishRestore(transcript, conversation, given.changes)),
		];
		if (!isElsewhere) {
			return restored;
		}

		const isLeft = folder.path() !== session.folder && changeSteps(transcript).length > 0;
		return [
			...restored,
			`The agent now works in ${folder.path()}.`,
			...(isLeft ? [changesLeft(session, there !== undefined)] : []),
		];
	};
	return resume;
}

/** The signal of what nobody interrupts. */
const never = new AbortController().signal;

function agentOf({name, command, contained}: OtherAgent): AgentCommand {
	return {name, command, isContained: contained};
}

/** Finishes an undo or another restore that was killed, and records it. Returns what the user must know about it. */
async function finishRestore(
	{session, changes}: Transcript,
	conversation: Pick<Conversation, 'restored'>,
	open: Dependencies['changes'],
): Promise<readonly string[]> {
	if (changes.length === 0) {
		return [];
	}

	const cutOff = 'Restoring files was cut off when service ended';
	try {
		const finished = await (await open()).finish(session, changes, never);
		if (!finished) {
			return [];
		}

		const {event, failed} = finished;
		if (event) {
			conversation.restored(event);
		}

		return failed.length === 0 ? [`${cutOff}, and is finished now.`] : [`${cutOff}.`, ...failed];
	} catch (error) {
		// The session is open, and continues without it.
		return [`Couldn't tell whether an undo was cut off. ${reportError(error).message}`];
	}
}

/** Returns the sentence about what the user allowed in the session, so that nothing is allowed in silence. */
function rulesNotice(rules: readonly SessionRule[], folder: string): readonly string[] {
	const allowing = rules.filter(({effect}) => effect === 'allow');
	const count = allowing.filter(rule => countsIn(rule, folder)).length;
	const left = allowing.length - count;
	return [
		...(count > 0 ? [`${formatAmount(count, 'rule')} of this session allowed again. List: \`approvals\``] : []),
		...(left > 0 ? [`${formatAmount(left, 'rule')} of this session left out: made for another folder.`] : []),
	];
}

/** Returns the sentence about changes of files that the session made in a folder that it does not work in any more. */
function changesLeft({id, folder}: SessionSummary, isThere: boolean): string {
	const undo = `cd ${shellWord(folder)} && ${shellLine(`--resume ${id.slice(0, 8)}`)}`;
	const [what, how] = [
		`\`/undo\`, \`/diff\` and \`/rewind\` don't cover its changes in ${folder}`,
		`To undo those: ${undo}`,
	];
	return isThere ? `${what}. ${how}` : `${what}, which is gone.`;
}

/** Throws AppError("usage"), for a program that cannot ask the user to choose. */
export const refuseElsewhere: ChooseFolder = async ({id, folder, isThere}) => {
	throw new AppError('usage', `Session ${id.slice(0, 8)} belongs to another folder: ${folder}`, {
		hint: isThere
			? 'Change to that folder, then resume it.'
			: 'The folder is gone. Start a new session here, or resume this one in the app.',
	});
};
