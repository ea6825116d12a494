import type {Program} from '../../command/program.ts';
import type {AppStore} from '../../store/store.ts';
import type {AppInteraction} from '../interaction.ts';

type Dependencies = {
	readonly program: {
		readonly local: {readonly secrets: Pick<Program['local']['secrets'], 'hide'>};
		readonly project: {readonly folder: Pick<Program['project']['folder'], 'path'>};
		readonly session: Pick<Program['session'], 'askWith'> & {
			readonly conversation: Pick<Program['session']['conversation'], 'flush' | 'send'>;
		};
	};
	readonly store: AppStore;
	readonly interact: AppInteraction;
	readonly tell: (error: unknown) => void;
};

/** Lets the program ask the user for approval, and what to do with plans. Returns a function that stops the latter. */
export async function connectApprovals({program, store, interact, tell}: Dependencies): Promise<() => void> {
	const {hide} = program.local.secrets;
	program.session.askWith(async (request, signal) => {
		program.session.conversation.flush();
		const {approvalQuestions} = await import('./approval-questions.ts');
		return approvalQuestions({...interact, workspace: program.project.folder.path, hide})(request, signal);
	});
	const {followPlans} = await import('./plan-review.ts');
	// What the user makes of a plan, and says about it, goes to the model's vendor (SAFETY 8).
	const send = (text: string) => void program.session.conversation.send(hide(text)).catch(tell);
	return followPlans({...interact, store, tell, send});
}
