import type {ApprovalQuestion} from '../agent/approval/approval.ts';
import {answerFor, inquiryAbout} from '../command/approvals/approval-inquiry.ts';
import {aboutLines, drawingLines} from '../command/line-interaction.ts';
import type {AppError} from '../core/error.ts';
import type {About, Answer} from '../core/question.ts';
import type {Act, ApprovalAnswer} from '../core/session/approval.ts';
import type {Inquiry} from '../platform/interaction.ts';
import {safeLine, safeText} from '../terminal/text/safe-text.ts';
import {createPalette} from '../terminal/text/style.ts';
import {diffsOf, placesOf} from './call-view.ts';
import type {
	Editor,
	PermissionOption,
	RequestPermissionRequest,
	RequestPermissionResponse,
	ToolCallContent,
	ToolCallLocation,
	ToolKind,
} from './protocol.ts';

/** Asks the user of an editor. An abort withdraws the question and throws the signal's reason. */
export type AskEditor = (
	request: Omit<RequestPermissionRequest, 'sessionId'>,
	signal: AbortSignal,
) => Promise<string | undefined>;

/** What is refused: an editor that answers by kind has to find it. */
const refusal: PermissionOption = {optionId: 'reject', name: 'No', kind: 'reject_once'};

/**
 * Creates what asks the user of an editor in a session. Returns the id of the option that they selected; undefined for no
 * answer, and for one that wasn't offered. Throws the error of `noAnswer` instead of the first, if there is one.
 */
export function createAskEditor(editor: Editor, session: () => string, noAnswer?: () => AppError): AskEditor {
	return async (request, signal) => {
		signal.throwIfAborted();
		const options = {cancellationSignal: signal, stopWaitingOnCancel: true};
		let response: RequestPermissionResponse;
		try {
			response = await editor.request('session/request_permission', {sessionId: session(), ...request}, options);
		} catch {
			signal.throwIfAborted();
			if (noAnswer) {
				throw noAnswer();
			}

			// An editor that can't ask hasn't allowed anything.
			return undefined;
		}

		signal.throwIfAborted();
		// Nothing checks what an editor answers.
		const outcome: Partial<RequestPermissionResponse['outcome']> | null | undefined = response?.outcome;
		if (noAnswer && outcome?.outcome === 'cancelled') {
			throw noAnswer();
		}

		const chosen = outcome?.outcome === 'selected' && 'optionId' in outcome ? outcome.optionId : undefined;
		return request.options.some(({optionId}) => optionId === chosen) ? chosen : undefined;
	};
}

/** What an answer allows that an editor can give: it can't edit a command, or say why. */
const offered: readonly string[] = ['once', 'session', 'folder', 'edits'];

/** Rules are kept only where the user reads all of them, in the name of an option. */
const maxName = 200;

/** Returns the answers as options. Each that keeps something says what, and until when (SAFETY 4). */
export function optionsFor(answers: readonly Answer[]): PermissionOption[] {
	const options = answers.flatMap(({label, value, keeps}): PermissionOption[] => {
		if (!keeps) {
			return [{optionId: value, name: safeLine(label), kind: 'allow_once'}];
		}

		const rules = keeps.rules.filter(rule => !label.includes(rule));
		const name = safeLine(`${label}${rules.length > 0 ? `: ${rules.join(', ')}` : ''} (${keeps.life})`);
		return name.length > maxName ? [] : [{optionId: value, name, kind: 'allow_always'}];
	});
	return [...options, refusal];
}

/** What an act is to an editor that answers by kind. A secret file is no ordinary one to read. */
const kinds: Readonly<Record<Act['kind'], ToolKind>> = {
	'read-secret': 'other',
	edit: 'edit',
	'edit-secret': 'edit',
	command: 'execute',
	fetch: 'fetch',
	mcp: 'other',
	agent: 'other',
};

/** Returns how an editor asks for approval. */
export function editorApprovals(ask: AskEditor, workspace: () => string) {
	return async (question: ApprovalQuestion, signal: AbortSignal): Promise<ApprovalAnswer> => {
		const folder = workspace();
		const {act, exactChange} = question;
		const inquiry = inquiryAbout(question, {workspace: folder});
		const locations = locationsOf(question, folder);
		const chosen = await ask(
			{
				toolCall: {
					toolCallId: question.id,
					kind: kinds[act.kind],
					status: 'pending',
					title: act.kind === 'command' ? safeLine(act.command) : safeLine(inquiry.question),
					content: [...linesOf(inquiry), ...(exactChange ? diffsOf(exactChange, folder) : [])],
					...(locations.length > 0 && {locations}),
				},
				options: optionsFor(inquiry.answers.filter(({value}) => offered.includes(value))),
			},
			signal,
		);
		return answerFor(chosen, question.hash);
	};
}

function locationsOf({act, exactChange}: ApprovalQuestion, folder: string): ToolCallLocation[] {
	if (exactChange) {
		return placesOf(exactChange, folder);
	}

	return 'path' in act ? [{path: act.path}] : [];
}

const style = {width: 200, palette: createPalette({color: false})};

/** Returns the question, what it is about and what the user should know, as the content of a call. */
function linesOf({question, subject, about}: Inquiry): ToolCallContent[] {
	const lines = subject ? drawingLines(subject, style, Number.POSITIVE_INFINITY).lines : [];
	const facts = about ? aboutLines(about) : [];
	const text = [question, ...lines, ...facts].map(safeText).join('\n');
	return [{type: 'content', content: {type: 'text', text}}];
}

/** What a question of the program is about that isn't a call of the agent. */
type Asked = Inquiry & {readonly kind?: ToolKind};

/** Questions of the program itself. */
export type Inquiries = {
	/** Returns the value of the answer that was chosen; undefined if none was. */
	readonly inquire: (inquiry: Asked, signal: AbortSignal) => Promise<string | undefined>;
	/** Asks for a yes. */
	readonly agree: (
		question: string,
		about: About | undefined,
		signal: AbortSignal,
		kind?: ToolKind,
	) => Promise<boolean>;
};

/** Creates the questions of the program itself: each is shown as a call that waits. */
export function createInquiries(ask: AskEditor): Inquiries {
	let count = 0;
	const inquire: Inquiries['inquire'] = async ({kind = 'other', ...inquiry}, signal) => {
		count++;
		const chosen = await ask(
			{
				toolCall: {
					toolCallId: `question-${count}`,
					kind,
					status: 'pending',
					title: safeLine(inquiry.question),
					content: linesOf(inquiry),
				},
				options: optionsFor(inquiry.answers),
			},
			signal,
		);
		return chosen === refusal.optionId ? undefined : chosen;
	};
	const yes: Answer = {key: 'y', label: 'Yes', value: 'yes'};
	return {
		inquire,
		agree: async (question, about, signal, kind) =>
			(await inquire({question, answers: [yes], ...(about && {about}), ...(kind && {kind})}, signal)) === 'yes',
	};
}
