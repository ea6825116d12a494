import type {Program} from '../../command/program.ts';
import type {AppStore} from '../../store/store.ts';
import type {AppInteraction} from '../interaction.ts';

type Dependencies = {
	readonly program: Pick<Program, 'askWith' | 'conversation' | 'folder'>;
	readonly store: AppStore;
	readonly interact: AppInteraction;
	readonly tell: (error: unknown) => void;
};

/** Lets the program ask the user for approval, and what to do with plans. Returns a function that stops the latter. */
export async function connectApprovals({program, store, interact, tell}: Dependencies): Promise<() => void> {
	program.askWith(async (request, signal) => {
		program.conversation.flush();
		const {approvalQuestions} = await import('./approval-questions.ts');
		return approvalQuestions({...interact, workspace: program.folder.path})(request, signal);
	});
	const {followPlans} = await import('./plan-review.ts');
	return followPlans({...interact, store, tell, send: text => void program.conversation.send(text).catch(tell)});
}
