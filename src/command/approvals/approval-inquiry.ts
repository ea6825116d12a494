import {type ApprovalQuestion, editedHash} from '../../agent/approval/approval.ts';
import type {Answer} from '../../core/question.ts';
import type {Act, ApprovalAnswer} from '../../core/session/approval.ts';
import type {Inquiry} from '../../platform/interaction.ts';
import type {SubjectDrawing} from '../../terminal/text/drawing.ts';
import {
	drawingOfAgent,
	drawingOfCall,
	drawingOfCommand,
	drawingOfFetch,
	factsOfCommand,
	factsOfFetch,
} from './subject-drawing.ts';

/** How long what is kept holds. */
const sessionLife = 'this session · until you leave it';
const folderLife = 'this folder · until you revoke it with /approvals';

export const once: Answer = {key: 'y', label: 'Yes, once', value: 'once'};
const allEdits: Answer = {
	key: 's',
	label: 'Yes, and all edits of this session',
	value: 'edits',
	keeps: {rules: [], life: `all edits of files · ${sessionLife}`},
};
const edit: Answer = {key: 'e', label: 'Edit the command', value: 'edit'};
const reason: Answer = {key: 'r', label: 'No, and say why', value: 'reason'};

/** Returns what the value of an answer allows; anything unknown refuses. `command` is what the user made of the command. */
export function answerFor(answer: string | undefined, hash: string, command?: string): ApprovalAnswer {
	switch (answer) {
		case 'once':
			return command === undefined ? {allowed: true, hash} : {allowed: true, hash: editedHash(hash, command), command};
		case 'always':
			return {allowed: true, hash, always: true};
		case 'session':
		case 'folder':
		case 'edits':
			return {allowed: true, hash, keep: answer};
		default:
			return {allowed: false};
	}
}

type Circumstances = {
	/** What the user made of the command; undefined if they didn't edit it. */
	readonly command?: string | undefined;
	/** The change of a file, as it is drawn. */
	readonly subject?: SubjectDrawing | undefined;
	/** The working folder, a real path. */
	readonly workspace: string;
};

/** Returns the question about a request, or about what the user made of its command. */
export function inquiryAbout(
	{summary, act, facts = [], verdict, keepsSubject = false}: ApprovalQuestion,
	{command, subject, workspace}: Circumstances,
): Inquiry {
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
		case 'agent':
			return {
				question: summary,
				subject: subject ?? drawingOfAgent(act),
				about: {facts: [...facts, ...noted]},
				answers: [
					...(act.hasOnce ? [once, sameAgain] : []),
					...(act.always === undefined ? [] : [agentKeeps(act.agent, act.always)]),
				],
			};
		default: {
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

/** Lets another agent allow itself more from now on: what that covers is up to the agent. */
function agentKeeps(agent: string, label: string): Answer {
	return {
		key: 'a',
		label: 'Yes, always, as the agent says',
		value: 'always',
		keeps: {rules: [label], life: `kept by ${agent}, which decides what it covers`},
	};
}

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
