import type {ApprovalQuestion} from '../../agent/approval/approval.ts';
import {answerFor, inquiryAbout, once} from '../../command/approvals/approval-inquiry.ts';
import type {ApprovalAnswer} from '../../core/session/approval.ts';
import type {SessionInteraction} from '../interaction.ts';

type Asking = Pick<SessionInteraction, 'inquire' | 'edit'> & {
	/** Returns the working folder, a real path. */
	readonly workspace: () => string;
	/** Masks the credentials in a text: a reason goes to the model (SAFETY 8). */
	readonly hide: (text: string) => string;
	/** Returns true if the user wants Enter to allow once. */
	readonly enterAllows?: () => boolean;
};

/** Returns how the app asks for approval: a question, with exactly what it is about (SAFETY 4). */
export function approvalQuestions({inquire, edit: change, workspace, hide, enterAllows = () => false}: Asking) {
	return async (asked: ApprovalQuestion, signal: AbortSignal): Promise<ApprovalAnswer> => {
		const original = asked.act.kind === 'command' ? asked.act.command : '';
		let command: string | undefined;
		for (;;) {
			const subject = asked.exactChange && (await import('../transcript/diff-lines.ts')).drawingOf(asked.exactChange);
			const inquiry = inquiryAbout(asked, {command, subject, workspace: workspace()});
			const answer = await inquire(
				{...inquiry, onShown: asked.onShown, isOfRun: true, ...(enterAllows() && {marks: once.value})},
				signal,
			);
			if (answer === 'edit') {
				const field = {label: 'Edit the command', does: 'confirm', text: command ?? original};
				const edited = (await change(field, signal)) ?? command;
				// What the user made of it is shown again before it runs.
				command = edited === original ? undefined : edited;
			} else if (answer === 'reason') {
				const field = {label: 'What should the model do instead?', does: 'send', text: ''};
				const said = await change(field, signal);
				if (said !== undefined) {
					return {allowed: false, reason: hide(said)};
				}
			} else {
				return answerFor(answer, asked.hash, command);
			}
		}
	};
}
