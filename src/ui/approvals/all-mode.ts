import type {Program} from '../../command/program.ts';
import {modeEffects} from '../../store/approval-slice.ts';
import type {AppStore} from '../../store/store.ts';
import type {AppInteraction} from '../interaction.ts';

type Dependencies = {
	readonly store: AppStore;
	readonly folder: Pick<Program['project']['folder'], 'path' | 'mayRunAll' | 'allowAll'>;
	readonly interact: Pick<AppInteraction, 'agree'>;
	readonly tell: (error: unknown) => void;
};

/**
 * Asks when all mode is selected for the first time in a folder, however that happened. Until the user agrees, the agent asks
 * for everything. Returns a function that stops it.
 */
export function followAllMode({store, folder, interact, tell}: Dependencies): () => void {
	const stop = new AbortController();

	const ask = async (session: string) => {
		const question = 'Let the agent work without asking in this folder?';
		if (!(await interact.agree?.(question, aboutAll(folder.path()), stop.signal))) {
			return;
		}

		// The answer holds even if it can't be saved.
		const saved = folder.allowAll().catch(tell);
		const {transcript, setApprovalMode, setToast} = store.getState();
		if (transcript.session === session) {
			setApprovalMode('all');
			setToast(modeEffects.all);
		}

		await saved;
	};

	store.setState({
		beginsAll() {
			const isAllowed = folder.mayRunAll();
			if (!isAllowed) {
				ask(store.getState().transcript.session).catch(error => stop.signal.aborted || tell(error));
			}

			return isAllowed;
		},
	});
	// The command line may have selected it.
	const {approvalMode, setApprovalMode} = store.getState();
	setApprovalMode(approvalMode);
	return () => {
		store.setState({beginsAll: () => true});
		stop.abort();
	};
}

/** Returns what all mode allows, for the user. */
function aboutAll(folder: string) {
	return {
		title: 'All mode',
		facts: [
			['Folder', folder],
			['Without asking', 'edits of files here, and commands that a sandbox holds'],
			['Asks still', 'commands outside a sandbox or with the network, secret files'],
			['Until', 'this session ends; you are not asked here again'],
		] as const,
	};
}
