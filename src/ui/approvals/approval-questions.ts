import {type ApprovalQuestion, editedHash} from '../../agent/approval/approval.ts';
import type {Answer} from '../../core/question.ts';
import type {Act, ApprovalAnswer} from '../../core/session/approval.ts';
import type {Inquiry} from '../../platform/interaction.ts';
import type {SessionInteraction} from '../interaction.ts';
import {drawingOfCall, drawingOfCommand, drawingOfFetch, factsOfCommand, factsOfFetch} from './subject-drawing.ts';

/** How long what is kept holds. */
const sessionLife = 'this session · until you leave it';
const folderLife = 'this folder · until you revoke it with /approvals';

const once: Answer = {key: 'y', label: 'Yes, once', value: 'once'};
const allEdits: Answer = {
	key: 's',
	label: 'Yes, and all edits of this session',
	value: 'edits',
	keeps: {rules: [], life: `all edits of files · ${sessionLife}`},
};
const edit: Answer = {key: 'e', label: 'Edit the command', value: 'edit'};
const reason: Answer = {key: 'r', label: 'No, and say why', value: 'reason'};

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
			const inquiry = await inquiryAbout(asked, command, workspace());
			const answer = await inquire(enterAllows() ? {...inquiry, marks: once.value} : inquiry, signal);
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

function answerFor(answer: string | undefined, hash: string, command: string | undefined): ApprovalAnswer {
	switch (answer) {
		case 'once':
			return command === undefined ? {allowed: true, hash} : {allowed: true, hash: editedHash(hash, command), command};
		case 'session':
		case 'folder':
		case 'edits':
			return {allowed: true, hash, keep: answer};
		default:
			return {allowed: false};
	}
}

/** Returns the question about a request, or about what the user made of its command. */
async function inquiryAbout(
	{summary, act, exactChange, facts = [], verdict, keepsSubject = false}: ApprovalQuestion,
	command: string | undefined,
	workspace: string,
): Promise<Inquiry> {
	const {why, suggestions} = verdict;
	const noted = why === undefined ? [] : [['Asked', `because it ${why}`] as const];
	switch (act.kind) {
		case 'command': {
			const shown = command === undefined ? act : {...act, command};
			// The folder is a fact only if it isn't the one of the app.
			const others = facts.filter(([label]) => label !== 'Folder');
			return {
				question: questionAbout(act),
				subject: drawingOfCommand(shown.command, command !== undefined),
				about: {facts: [...factsOfCommand(shown, workspace), ...others, ...noted]},
				answers: command === undefined ? [once, ...toKeep(suggestions), edit, reason] : [once, edit, reason],
			};
		}
		case 'fetch':
			return {
				question: summary,
				subject: drawingOfFetch(act),
				about: {facts: [...factsOfFetch(act, facts), ...noted]},
				answers: [once, ...(keepsSubject ? [theseServices] : []), ...toKeep(suggestions, keepsSubject), reason],
			};
		case 'mcp':
			return {
				question: summary,
				subject: drawingOfCall(act),
				about: {facts: [...facts, ...noted]},
				answers: [once, ...toKeep(suggestions), reason],
			};
		default: {
			const subject = exactChange && (await import('../transcript/diff-lines.ts')).drawingOf(exactChange);
			const isReading = act.kind === 'read-secret';
			const kept = isReading ? (suggestions.length > 0 ? toKeep(suggestions) : [sameAgain]) : [];
			return {
				question: summary,
				answers: [once, ...(act.kind === 'edit' ? [allEdits] : kept), reason],
				...(subject && {subject}),
				...(facts.length + noted.length > 0 && {about: {facts: [...facts, ...noted]}}),
			};
		}
	}
}

/** Keeps a yes to the same act where no rule can say it. */
const sameAgain: Answer = {
	key: 's',
	label: 'Yes, and for this session',
	value: 'session',
	keeps: {rules: [], life: `the same again · ${sessionLife}`},
};

/** Keeps a yes to all services of a sandbox, which stand above the question. */
const theseServices: Answer = {
	key: 's',
	label: 'Yes, and allow these services this session',
	value: 'session',
	keeps: {rules: [], life: `these services, whatever is sent there · ${sessionLife}`},
};

function questionAbout({widened, containment, reveals = []}: Extract<Act, {kind: 'command'}>): string {
	if (!widened) {
		return 'Run this command?';
	}

	// The files stay readable for what the session runs next.
	return containment !== 'none' && reveals.length > 0
		? 'Run it again, with this file readable in this session?'
		: 'Run it again, outside the sandbox?';
}

/** Longer rules are facts above the question, not a part of the label of a key. */
const maxRuleLength = 40;

/**
 * Returns the answers that keep rules: they say what the rules cover, and until when. `keepsMore` leaves out the one for the
 * session, which another answer is for.
 */
function toKeep(texts: readonly string[], keepsMore = false): readonly Answer[] {
	if (texts.length === 0) {
		return [];
	}

	const rules = texts.map(coveredBy);
	const shown = rules.join(', ');
	const label =
		shown.length > maxRuleLength ? 'Yes, and allow these rules this session' : `Yes, and allow ${shown} this session`;
	return [
		...(keepsMore ? [] : [{key: 's', label, value: 'session', keeps: {rules, life: sessionLife}}]),
		{key: 'f', label: 'Yes, and always in this folder', value: 'folder', keeps: {rules, life: folderLife}},
	];
}

/** Returns what a rule covers, without the name of its tool. */
function coveredBy(rule: string): string {
	return /^[a-z_]+\((.*)\)$/s.exec(rule)?.[1] ?? rule;
}
