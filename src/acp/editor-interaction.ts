import {aboutLines} from '../command/line-interaction.ts';
import {AppError} from '../core/error.ts';
import type {AskUser} from '../core/session/user-question.ts';
import type {Interaction} from '../platform/interaction.ts';
import type {Inquiries} from './permission.ts';
import type {ClientCapabilities, Editor} from './protocol.ts';

type Options = {
	readonly editor: Editor;
	readonly session: () => string;
	readonly capabilities: ClientCapabilities;
	readonly inquiries: Inquiries;
	/** Aborts when the turn, or without one the session, ends. */
	readonly signal: () => AbortSignal;
	/** Shows a sentence of a command. */
	readonly say: (text: string) => void;
};

/** A field of a form: one of `choices` if there are some, else a text. */
type Field = {readonly title: string; readonly choices: readonly string[]; readonly initial?: string};

/**
 * Creates the questions that commands and the agent ask the user of an editor. Those that need a form throw AppError("usage")
 * in an editor that shows none. Nothing asks for a key: what is typed into an editor is no secret.
 */
export function createEditorInteraction(options: Options): Interaction & {readonly askUser: AskUser} {
	const {editor, session, capabilities, inquiries, signal: now, say} = options;
	const hasForms = Boolean(capabilities.elicitation?.form);

	/** Shows a form. Returns its values; undefined if the user declines. */
	const fill = async (message: string, fields: Readonly<Record<string, Field>>, signal: AbortSignal) => {
		const properties = Object.fromEntries(
			Object.entries(fields).map(([name, {title, choices, initial}]) => [
				name,
				{
					type: 'string' as const,
					title,
					...(choices.length > 0 && {enum: [...choices]}),
					...(initial && {default: initial}),
				},
			]),
		);
		const response = await editor.request(
			'elicitation/create',
			{mode: 'form', sessionId: session(), message, requestedSchema: {type: 'object', properties}},
			{cancellationSignal: signal, stopWaitingOnCancel: true},
		);
		signal.throwIfAborted();
		const content = response?.action === 'accept' && 'content' in response ? response.content : undefined;
		return typeof content === 'object' && content !== null ? (content as Readonly<Record<string, unknown>>) : undefined;
	};

	const textIn = (values: Readonly<Record<string, unknown>> | undefined, name: string): string | undefined => {
		const value = values?.[name];
		return typeof value === 'string' && value !== '' ? value : undefined;
	};

	const cannotAsk = (what: string) =>
		new AppError('usage', `This editor can't ask: ${what}`, {hint: 'Pass it as an argument.'});

	return {
		inquire: inquiries.inquire,
		agree: async (question, about, signal) => inquiries.agree(question, about, signal),
		async ask({label, masked, optional}) {
			if (masked || !hasForms) {
				if (optional) {
					return '';
				}

				throw cannotAsk(label);
			}

			return textIn(await fill(label, {answer: {title: label, choices: []}}, now()), 'answer');
		},
		async choose({title, choices}) {
			if (!hasForms) {
				throw cannotAsk(title);
			}

			const labels = choices.map(({label}) => label);
			const chosen = textIn(await fill(title, {answer: {title, choices: labels}}, now()), 'answer');
			return choices.find(({label}) => label === chosen)?.id;
		},
		async confirm(question, about, drawing) {
			const answers = [{key: 'y', label: 'Yes', value: 'yes'}];
			const inquiry = {question, answers, ...(about && {about}), ...(drawing && {subject: drawing})};
			return (await inquiries.inquire(inquiry, now())) === 'yes';
		},
		say,
		showLogin({page, code}) {
			say(aboutLines({facts: [['Page', page], ...(code ? [['Code', code] as const] : [])]}).join('\n'));
			return () => undefined;
		},
		async askUser({question, choices, form}, signal) {
			if (!hasForms) {
				throw new AppError('failed', "The user's editor shows no questions while you work.", {
					hint: 'Ask in your answer, and end it there.',
				});
			}

			const labels = choices.map(({label, description}) => (description ? `${label}: ${description}` : label));
			const hasOwn = form === undefined && labels.length > 0;
			const values = await fill(
				question,
				{
					answer: {title: 'Answer', choices: labels, ...(form && {initial: form.initial})},
					...(hasOwn && {own: {title: 'Another answer', choices: []}}),
				},
				signal,
			);
			if (values === undefined) {
				return undefined;
			}

			const given = textIn(values, 'answer');
			const chosen = choices[labels.indexOf(given ?? '')]?.label;
			return textIn(values, 'own') ?? (labels.length > 0 ? chosen : (given ?? (form?.mayBeEmpty ? '' : undefined)));
		},
	};
}
