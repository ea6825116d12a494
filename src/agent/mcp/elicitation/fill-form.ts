import type {AskUser} from '../../../core/session/user-question.ts';
import {acceptedBy, type FieldValue, type FormField, readValue} from './form-fields.ts';

/** How a form or a page was answered. */
export type ElicitAnswer = {
	readonly action: 'accept' | 'decline' | 'cancel';
	readonly content?: Readonly<Record<string, string | number | boolean | string[]>>;
};

type Form = {
	/** The name of the server that asks. */
	readonly server: string;
	readonly message: string;
	readonly fields: readonly FormField[];
};

const maxMessage = 600;
const maxShown = 120;
const skip = 'Skip';

/**
 * Asks the user to fill in a form: first whether they want to, then each field until it is valid, last whether to send it.
 * Esc at any step cancels. Throws the signal's reason.
 */
export async function fillForm(form: Form, ask: AskUser, signal: AbortSignal): Promise<ElicitAnswer> {
	const {server, message, fields} = form;
	const names = fields.map(({label, isRequired}) => (isRequired ? label : `${label} (optional)`)).join(', ');
	const intro = `The MCP server ${server} asks: ${message.slice(0, maxMessage)}${names ? `\nIt wants: ${names}` : ''}`;
	const begin = await choose(intro, fields.length > 0 ? ['Answer', 'Decline'] : ['Accept', 'Decline'], ask, signal);
	if (begin === undefined || begin === 'Decline') {
		return {action: begin ? 'decline' : 'cancel'};
	}

	let values: ReadonlyMap<string, FieldValue> = new Map();
	while (fields.length > 0) {
		const filled = await fillFields(form, values, ask, signal);
		if (!filled) {
			return {action: 'cancel'};
		}

		values = filled;
		const lines = fields.map(field => `${field.label}: ${shown(field, filled.get(field.name))}`);
		const question = `Send this to the MCP server ${server}?\n${lines.join('\n')}`;
		const answer = await choose(question, ['Send', 'Change', 'Decline'], ask, signal);
		if (answer !== 'Change') {
			return answer === 'Send'
				? {action: 'accept', content: contentOf(filled)}
				: {action: answer ? 'decline' : 'cancel'};
		}
	}

	return {action: 'accept', content: {}};
}

/** A record without a prototype: a field may be called `__proto__`. */
function contentOf(values: ReadonlyMap<string, FieldValue>): NonNullable<ElicitAnswer['content']> {
	return Object.assign(Object.create(null), Object.fromEntries(values));
}

async function fillFields(
	{server, fields}: Form,
	before: ReadonlyMap<string, FieldValue>,
	ask: AskUser,
	signal: AbortSignal,
): Promise<ReadonlyMap<string, FieldValue> | undefined> {
	const values = new Map<string, FieldValue>();
	for (const [index, field] of fields.entries()) {
		const place = fields.length > 1 ? ` · ${index + 1} of ${fields.length}` : '';
		const title = `${server}${place} · ${field.label}${field.isRequired ? '' : ' (optional)'}`;
		const old = before.get(field.name);
		const value = await fillField(title, field, old === undefined ? field.initial : typedOf(field, old), ask, signal);
		if (value === 'cancelled') {
			return undefined;
		}

		if (value.value !== undefined) {
			values.set(field.name, value.value);
		}
	}

	return values;
}

/** Asks for one field until the answer is valid. */
async function fillField(title: string, field: FormField, initial: string, ask: AskUser, signal: AbortSignal) {
	let problem = '';
	let typed = initial;
	for (;;) {
		const asked = questionOf(title, field, problem);
		const choices = field.kind === 'choice' ? choicesOf(field, initial) : [];
		const form = {initial: typed, mayBeEmpty: !field.isRequired, isNext: true};
		const answer = await ask({question: asked, choices, form}, signal);
		if (answer === undefined) {
			return 'cancelled' as const;
		}

		typed = field.kind === 'choice' && answer === skip ? '' : answer;
		const read = readValue(field, typed);
		if ('value' in read) {
			return read;
		}

		({problem} = read);
	}
}

function questionOf(title: string, field: FormField, problem: string): string {
	const accepted = field.kind === 'choice' ? '' : acceptedBy(field);
	const options = field.kind === 'several' ? field.options.map(({label}, index) => `${index + 1}. ${label}`) : [];
	const hint = accepted && !problem ? `${accepted.charAt(0).toUpperCase()}${accepted.slice(1)}.` : '';
	return [problem, title, field.about, ...options, hint].filter(Boolean).join('\n');
}

/** The default comes first. None is marked: the user selects one. */
function choicesOf(field: FormField & {readonly kind: 'choice'}, initial: string) {
	const choices = field.options.map(({label}) => ({
		label,
		...(label === initial && {description: 'default'}),
	}));
	const ordered = [
		...choices.filter(({label}) => label === initial),
		...choices.filter(({label}) => label !== initial),
	];
	return field.isRequired ? ordered : [...ordered, {label: skip}];
}

function typedOf(field: FormField, value: FieldValue): string {
	if (field.kind === 'choice') {
		return field.options.find(option => option.value === value)?.label ?? '';
	}

	return Array.isArray(value) && field.kind === 'several'
		? value.map(each => field.options.findIndex(option => option.value === each) + 1).join(', ')
		: `${value}`;
}

function shown(field: FormField, value: FieldValue | undefined): string {
	if (value === undefined) {
		return '–';
	}

	const labelOf = (one: unknown) =>
		'options' in field ? (field.options.find(option => option.value === one)?.label ?? `${one}`) : `${one}`;
	const text = Array.isArray(value) ? value.map(labelOf).join(', ') : labelOf(value);
	return text.length > maxShown ? `${text.slice(0, maxShown - 1)}…` : text;
}

async function choose(
	question: string,
	labels: readonly string[],
	ask: AskUser,
	signal: AbortSignal,
): Promise<string | undefined> {
	const form = {initial: '', mayBeEmpty: false, isNext: false, refusal: 'Decline'};
	return ask({question, choices: labels.map(label => ({label})), form}, signal);
}

type Page = {readonly server: string; readonly message: string; readonly url: string};

/**
 * Asks the user to open a page for a server, with its whole address. `open` opens a browser; undefined where there is none.
 * Throws the signal's reason.
 */
export async function askForPage(
	{server, message, url}: Page,
	{ask, open}: {readonly ask: AskUser; readonly open: ((url: string) => Promise<boolean>) | undefined},
	signal: AbortSignal,
): Promise<ElicitAnswer & {readonly isOpen?: boolean}> {
	const {host, href} = new URL(url);
	const question = [`The MCP server ${server} asks you to open a page of ${host}:`, href, message.slice(0, maxMessage)];
	const yes = open ? 'Open it' : 'Continue, I open it myself';
	const answer = await choose(question.join('\n'), [yes, 'Decline'], ask, signal);
	if (answer !== yes) {
		return {action: answer ? 'decline' : 'cancel'};
	}

	return {action: 'accept', isOpen: (await open?.(href)) ?? false};
}
