import {
	faultText,
	type JudgedFile,
	leftOut,
	type Project,
	type ProjectState,
	undecided,
} from '../../agent/project/project.ts';
import {namesOf, questionFor, trustDrawing} from '../../command/views/project/trust-view.ts';
import {reportError} from '../../core/error.ts';
import type {AppStore} from '../../store/store.ts';
import type {SessionInteraction} from '../interaction.ts';
import {shortFolder} from '../welcome.ts';

type Dependencies = {
	readonly project: Project;
	readonly interact: Pick<SessionInteraction, 'inquire'>;
	readonly homeFolder: string | undefined;
	/** Shows the user a sentence that warns them. */
	readonly warn: (text: string, hint?: string) => void;
	/** Shows the user what was done. */
	readonly tell: (text: string) => void;
};

export type TrustQuestions = {
	/** Asks about files that are new or changed, once for each session, even if several messages wait for the answer. */
	readonly ask: (session: string) => Promise<void>;
	readonly close: () => void;
};

/** Asks about the files with which a project tells the agent how to work: they are used only if the user trusts them. */
export function createTrustQuestions({project, interact, homeFolder, warn, tell}: Dependencies): TrustQuestions {
	/** The session for which the files were read. */
	let current: string | undefined;
	let asking: Promise<void> | undefined;
	const stop = new AbortController();

	const askOnce = async () => {
		const first = await project.load();
		// If the user is asked at all, then about everything at once.
		const state = undecided(first).length > 0 ? await project.loadAll() : first;
		for (const fault of [...state.ownFaults, ...state.faults]) {
			warn(faultText(fault));
		}

		const files = undecided(state);
		const isTrusted = files.length > 0 && (await ask(files, state));
		const isSaved = files.length === 0 || (await save({project, warn}, isTrusted, files));
		if (isTrusted) {
			tell(`Trusted ${isSaved ? 'until they change' : 'until you quit'}: ${namesOf(files)}.`);
		}

		const unused = state.isProject ? leftOut(state).filter(file => !(isTrusted && files.includes(file))) : [];
		if (unused.length > 0) {
			warn(`Not trusted, so not used: ${namesOf(unused)}.`, 'Trust with `trust add`.');
		}
	};

	const ask = async (files: readonly JudgedFile[], state: ProjectState) => {
		const subject = trustDrawing(files, state, shortFolder(state.root, homeFolder));
		const answers = [{key: 'y', label: 'Trust', value: 'yes'}];
		return (await interact.inquire({question: questionFor(files), subject, answers}, stop.signal)) === 'yes';
	};

	return {
		async ask(session) {
			if (current !== session) {
				current = session;
				asking = askOnce().catch(error => {
					current = undefined;
					throw error;
				});
			}

			await asking;
		},
		close: () => stop.abort(),
	};
}

/** Keeps an answer, also one that can't be saved, so that a full disk stops no message. Returns true if it is saved. */
async function save(
	{project, warn}: Pick<Dependencies, 'project' | 'warn'>,
	isTrusted: boolean,
	files: readonly JudgedFile[],
): Promise<boolean> {
	try {
		await project.decide(isTrusted, files);
		return true;
	} catch (error) {
		const {message, hint} = reportError(error);
		warn(`Your answer was not saved, so it holds only until you quit. ${message}`, hint);
		return false;
	}
}

type Flags = {
	readonly pick: boolean;
	readonly asksLater?: boolean;
	readonly resume?: string | undefined;
	readonly prompt?: string;
};

/** Asks at the start, unless the user already types, or something else is to be opened: then the first message asks. */
export async function askAtStart(flags: Flags, store: AppStore, trust: TrustQuestions): Promise<void> {
	const {composer, typedAt, busy, transcript} = store.getState();
	const isIdle = composer.text === '' && typedAt === undefined && !busy;
	const opensFirst = flags.pick || flags.resume !== undefined || flags.prompt !== undefined;
	if (isIdle && !opensFirst && !flags.asksLater) {
		await trust.ask(transcript.session);
	}
}
