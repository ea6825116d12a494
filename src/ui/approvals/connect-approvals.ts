import type {Program} from '../../command/program.ts';
import type {Answer} from '../../core/question.ts';
import type {ApprovalMode} from '../../core/session/approval.ts';
import {blocksOf, type Transcript} from '../../core/session/transcript.ts';
import {modeEffects} from '../../store/approval-slice.ts';
import type {AppStore} from '../../store/store.ts';
import type {SessionInteraction} from '../interaction.ts';
import {drawingOfText} from './subject-drawing.ts';

type Connected = {
	readonly program: {
		readonly local: {
			readonly secrets: Pick<Program['local']['secrets'], 'hide'>;
			readonly settings: {readonly value: (key: 'enter_allows') => boolean};
		};
		readonly project: {readonly folder: Pick<Program['project']['folder'], 'path'>};
		readonly session: Pick<Program['session'], 'askWith'> & {
			readonly conversation: Pick<Program['session']['conversation'], 'flush' | 'send'>;
		};
	};
	readonly store: AppStore;
	readonly interact: SessionInteraction;
	readonly tell: (error: unknown) => void;
};

/** Lets the program ask the user for approval, and what to do with plans. Returns a function that stops the latter. */
export function connectApprovals({program, store, interact, tell}: Connected): () => void {
	const {hide} = program.local.secrets;
	const enterAllows = () => program.local.settings.value('enter_allows');
	program.session.askWith(async (question, signal) => {
		program.session.conversation.flush();
		const {approvalQuestions} = await import('./approval-questions.ts');
		return approvalQuestions({...interact, workspace: program.project.folder.path, hide, enterAllows})(
			question,
			signal,
		);
	});
	// What the user makes of a plan, and says about it, goes to the model's vendor (SAFETY 8).
	const send = (text: string) => void program.session.conversation.send(hide(text)).catch(tell);
	return followPlans({...interact, store, tell, send});
}

type Following = {
	readonly store: AppStore;
	readonly folder: Pick<Program['project']['folder'], 'path' | 'mayRunAll' | 'allowAll'>;
	readonly interact: Pick<SessionInteraction, 'agree'>;
	readonly tell: (error: unknown) => void;
};

/**
 * Asks when all mode is selected for the first time in a folder, however that happened. Until the user agrees, the agent asks
 * for everything. Returns a function that stops it.
 */
export function followAllMode({store, folder, interact, tell}: Following): () => void {
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

type PlanReview = Pick<SessionInteraction, 'inquire' | 'edit'> & {
	readonly store: AppStore;
	/** Sends a message to the agent. */
	readonly send: (text: string) => void;
	readonly tell: (error: unknown) => void;
};

/** Rows of the window that a plan doesn't have while its question is open. */
const rowsBeside = 15;

/** Until when a mode that the user accepts a plan in holds. */
const life = 'until you select another mode';

/** How to answer a plan besides no, which leaves it as it is. */
const answers: readonly Answer[] = [
	{key: 'y', label: 'Yes, asking before changes', value: 'ask'},
	{key: 'e', label: 'Yes, in edits mode', value: 'edits', keeps: {rules: [], life: `edits mode · ${life}`}},
	{key: 'a', label: 'Yes, in all mode', value: 'all', keeps: {rules: [], life: `all mode · ${life}`}},
	{key: 'c', label: 'Edit the plan', value: 'change'},
	{key: 'r', label: 'No, and say why', value: 'reason'},
];
const nextModes: readonly string[] = ['ask', 'edits', 'all'] satisfies readonly ApprovalMode[];

/**
 * Asks what to do with each plan that a run in plan mode ends with. Accepting it selects the next mode and tells the agent
 * to begin. Returns a function that stops it.
 */
export function followPlans(review: PlanReview): () => void {
	const {store, tell} = review;
	let asking: AbortController | undefined;
	const unsubscribe = store.subscribe((state, before) => {
		const {transcript, approvalMode, queue} = state;
		const isOver = !transcript.run && before.transcript.run && transcript.session === before.transcript.session;
		const isElsewhere = transcript.session !== before.transcript.session || approvalMode !== 'plan' || transcript.run;
		if (isElsewhere) {
			asking?.abort();
			asking = undefined;
		} else if (isOver && queue.length === 0) {
			const plan = planOf(transcript);
			if (plan) {
				const abort = new AbortController();
				asking = abort;
				reviewPlan(plan, abort.signal, review).catch(error => abort.signal.aborted || tell(error));
			}
		}
	});
	return () => {
		unsubscribe();
		asking?.abort();
	};
}

/** Returns the text that a run ended with; undefined if it ended with anything else. */
function planOf(transcript: Transcript): string | undefined {
	const last = blocksOf(transcript).at(-1);
	return last?.kind === 'text' && last.text.trim() ? last.text.trim() : undefined;
}

async function reviewPlan(plan: string, signal: AbortSignal, {inquire, edit, store, send}: PlanReview): Promise<void> {
	let own: string | undefined;
	for (;;) {
		const question = own === undefined ? 'Carry out the plan?' : 'Carry out your plan?';
		const subject = drawingOfText('Plan', own ?? plan);
		// A short one that the model has just written is in sight above.
		const {columns, rows} = store.getState().size;
		const isInSight = own === undefined && subject.rows(columns, rows) < rows - rowsBeside;
		const answer = await inquire({question, answers, ...(!isInSight && {subject})}, signal);
		if (answer === 'change') {
			const field = {label: 'Edit the plan', does: 'confirm', text: own ?? plan};
			own = (await edit(field, signal)) ?? own;
		} else if (answer === 'reason') {
			const field = {label: 'What should change about the plan?', does: 'send', text: ''};
			const reason = await edit(field, signal);
			if (reason !== undefined) {
				send(reason);
				return;
			}
		} else {
			if (answer !== undefined && nextModes.includes(answer)) {
				store.getState().setApprovalMode(answer as ApprovalMode);
				send(own === undefined || own === plan ? 'Carry out the plan.' : `Carry out this plan instead:\n\n${own}`);
			}

			return;
		}
	}
}
