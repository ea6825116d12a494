import type {Program} from '../../command/program.ts';
import type {AppStore} from '../../store/store.ts';
import type {AppInteraction} from '../interaction.ts';

type Dependencies = {
	readonly program: Pick<Program, 'askWith'> & {
		readonly folder: Pick<Program['folder'], 'path'>;
		readonly conversation: Pick<Program['conversation'], 'flush' | 'send'>;
		readonly secrets: Pick<Program['secrets'], 'hide'>;
	};
	readonly store: AppStore;
	readonly interact: AppInteraction;
	readonly tell: (error: unknown) => void;
};

/** Lets the program ask the user for approval, and what to do with plans. Returns a function that stops the latter. */
export async function connectApprovals({program, store, interact, tell}: Dependencies): Promise<() => void> {
	const {hide} = program.secrets;
	program.askWith(async (request, signal) => {
		program.conversation.flush();
		const {approvalQuestions} = await import('./approval-questions.ts');
		return approvalQuestions({...interact, workspace: program.folder.path, hide})(request, signal);
	});
	const {followPlans} = await import('./plan-review.ts');
	// What the user makes of a plan, and says about it, goes to the model's vendor (SAFETY 8).
	const send = (text: string) => void program.conversation.send(hide(text)).catch(tell);
	return followPlans({...interact, store, tell, send});
}
