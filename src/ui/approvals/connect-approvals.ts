import {aboutAll, allModeQuestion} from '../../command/approvals/all-mode.ts';
import {carryOut, modeAfterPlan, planAnswers, planOf, planQuestion} from '../../command/approvals/plan-review.ts';
import {drawingOfText} from '../../command/approvals/subject-drawing.ts';
import type {Program} from '../../command/program.ts';
import {modeEffects} from '../../store/approval-slice.ts';
import type {AppStore} from '../../store/store.ts';
import type {SessionInteraction} from '../interaction.ts';

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
		if (!(await interact.agree?.(allModeQuestion, aboutAll(folder.path()), stop.signal))) {
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

type PlanReview = Pick<SessionInteraction, 'inquire' | 'edit'> & {
	readonly store: AppStore;
	/** Sends a message to the agent. */
	readonly send: (text: string) => void;
	readonly tell: (error: unknown) => void;
};

/** Rows of the window that a plan doesn't have while its question is open. */
const rowsBeside = 15;

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

async function reviewPlan(plan: string, signal: AbortSignal, {inquire, edit, store, send}: PlanReview): Promise<void> {
	let own: string | undefined;
	for (;;) {
		const question = own === undefined ? planQuestion : 'Carry out your plan?';
		const subject = drawingOfText('Plan', own ?? plan);
		// A short one that the model has just written is in sight above.
		const {columns, rows} = store.getState().size;
		const isInSight = own === undefined && subject.rows(columns, rows) < rows - rowsBeside;
		const answer = await inquire({question, answers: planAnswers, ...(!isInSight && {subject})}, signal);
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
			const mode = modeAfterPlan(answer);
			if (mode) {
				store.getState().setApprovalMode(mode);
				send(own === undefined || own === plan ? carryOut : `Carry out this plan instead:\n\n${own}`);
			}

			return;
		}
	}
}
