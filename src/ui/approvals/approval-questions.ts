import type {ApprovalRequest, Decide} from '../../agent/approval/approval.ts';
import type {Answer} from '../../store/view-slice.ts';
import type {AppInteraction} from '../interaction.ts';

const once: Answer = {key: 'y', label: 'once', value: 'once'};

/** How to answer each kind of question besides no. A secret file is asked about at every change. */
const answersTo: Readonly<Record<ApprovalRequest['act']['kind'], readonly Answer[]>> = {
	'read-secret': [once, {key: 's', label: 'for this session', value: 'session'}],
	edit: [once, {key: 's', label: 'all edits of this session', value: 'edits'}],
	'edit-secret': [once],
	command: [once],
	fetch: [once],
};

/** Returns how the app asks for approval: a question, with the change that it is about. */
export function approvalQuestions({inquire}: Pick<AppInteraction, 'inquire'>): Decide {
	return async ({summary, act, change, hash}, signal) => {
		const drawing = change && (await import('../transcript/diff-lines.ts')).drawingOf(change);
		const inquiry = {question: summary, answers: answersTo[act.kind], ...(drawing && {change: drawing})};
		const answer = await inquire(inquiry, signal);
		switch (answer) {
			case 'once':
				return {answer: 'yes', hash};
			case 'session':
			case 'edits':
				return {answer: 'yes', hash, keep: answer};
			default:
				return {answer: 'no'};
		}
	};
}
