import {formatAmount} from '../../../core/format.ts';
import {isJsonObject, type JsonObject} from '../../../core/json.ts';

/** A choice of a field. */
type Option = {readonly value: string | boolean; readonly label: string};

/** What a field may hold. Lengths in characters. */
type Kind =
	| {readonly kind: 'text'; readonly least: number; readonly most: number; readonly format?: string}
	| {readonly kind: 'number'; readonly isInteger: boolean; readonly least: number; readonly most: number}
	| {readonly kind: 'choice'; readonly options: readonly Option[]}
	| {readonly kind: 'several'; readonly options: readonly Option[]; readonly least: number; readonly most: number};

/** A field of a form that a server asks for. All of it is untrusted. */
export type FormField = Kind & {
	readonly name: string;
	readonly label: string;
	readonly about: string;
	readonly isRequired: boolean;
	/** The default as the user would type it; '' for none. */
	readonly initial: string;
};

export type FieldValue = string | number | boolean | readonly string[];

/** A form with more is declined: nobody would read it. */
const maxFields = 20;
const maxOptions = 50;
const maxLabel = 80;
const maxAbout = 300;
const maxInitial = 1000;

/** Reads the fields of a form; undefined if there are too many, or one is of no known type. */
export function readFields({properties, required}: JsonObject): readonly FormField[] | undefined {
	const entries = isJsonObject(properties) ? Object.entries(properties) : [];
	const names: readonly unknown[] = Array.isArray(required) ? required : [];
	const fields = entries.slice(0, maxFields + 1).map(([name, schema]): FormField | undefined => {
		const kind = isJsonObject(schema) ? kindOf(schema) : undefined;
		if (!kind || !isJsonObject(schema)) {
			return undefined;
		}

		return {
			...kind,
			name,
			label: oneLine(textOf(schema['title']) || name, maxLabel),
			about: oneLine(textOf(schema['description']), maxAbout),
			isRequired: names.includes(name),
			initial: initialOf(kind, schema['default']),
		};
	});
	const known = fields.filter(field => field !== undefined);
	return known.length === entries.length && known.length <= maxFields ? known : undefined;
}

function kindOf(schema: JsonObject): Kind | undefined {
	const options = optionsOf(schema);
	switch (schema['type']) {
		case 'boolean':
			return {
				kind: 'choice',
				options: [
					{value: true, label: 'Yes'},
					{value: false, label: 'No'},
				],
			};
		case 'number':
		case 'integer':
			return {
				kind: 'number',
				isInteger: schema['type'] === 'integer',
				least: limit(schema['minimum'], Number.NEGATIVE_INFINITY),
				most: limit(schema['maximum'], Number.POSITIVE_INFINITY),
			};
		case 'array': {
			const items = isJsonObject(schema['items']) ? optionsOf(schema['items']) : [];
			const [least, most] = [limit(schema['minItems'], 0), limit(schema['maxItems'], items.length)];
			return items.length > 0 && items.length <= maxOptions
				? {kind: 'several', options: items, least, most}
				: undefined;
		}
		case 'string': {
			if (options.length > 0) {
				return options.length <= maxOptions ? {kind: 'choice', options} : undefined;
			}

			const format = textOf(schema['format']);
			const [least, most] = [limit(schema['minLength'], 0), limit(schema['maxLength'], Number.POSITIVE_INFINITY)];
			return {kind: 'text', least, most, ...(format in formats && {format})};
		}
		default:
			return undefined;
	}
}

/** Returns the values of `enum` with `enumNames`, of `oneOf` or of `anyOf`. */
function optionsOf(schema: JsonObject): readonly Option[] {
	const titled = [schema['oneOf'], schema['anyOf']].find(Array.isArray) ?? [];
	const names = Array.isArray(schema['enumNames']) ? schema['enumNames'] : [];
	const plain = Array.isArray(schema['enum']) ? schema['enum'] : [];
	return [
		...titled.flatMap(each => (isJsonObject(each) ? [optionOf(each['const'], each['title'])] : [])),
		...plain.map((value, index) => optionOf(value, names[index])),
	];
}

function optionOf(value: unknown, title: unknown): Option {
	return {value: textOf(value), label: oneLine(textOf(title) || textOf(value), maxLabel)};
}

function initialOf(kind: Kind, value: unknown): string {
	if (kind.kind === 'choice') {
		return kind.options.find(option => option.value === value)?.label ?? '';
	}

	if (kind.kind === 'several') {
		const given: readonly unknown[] = Array.isArray(value) ? value : [];
		const at = kind.options.flatMap((option, index) => (given.includes(option.value) ? [index + 1] : []));
		return at.join(', ');
	}

	return typeof value === 'string' || typeof value === 'number' ? `${value}`.slice(0, maxInitial) : '';
}

function textOf(value: unknown): string {
	return typeof value === 'string' ? value : '';
}

function limit(value: unknown, fallback: number): number {
	return typeof value === 'number' ? value : fallback;
}

function oneLine(text: string, length: number): string {
	const line = text
		.slice(0, 4 * length)
		.replace(/\s+/g, ' ')
		.trim();
	return line.length > length ? `${line.slice(0, length - 1)}…` : line;
}

/** Formats of texts: what one is, and whether a text has it. */
const formats: Readonly<Record<string, {readonly words: string; readonly isIt: (text: string) => boolean}>> = {
	email: {words: 'an email address', isIt: text => /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/.test(text)},
	uri: {words: 'a URL', isIt: text => URL.canParse(text)},
	date: {words: 'a date such as 2026-01-31', isIt: text => /^\d{4}-\d\d-\d\d$/.test(text) && isDate(text)},
	'date-time': {
		words: 'a time such as 2026-01-31T09:30:00Z',
		isIt: text =>
			/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i.test(text) &&
			isDate(text.slice(0, 10)) &&
			!Number.isNaN(Date.parse(text)),
	},
};

/** False for a day that its month doesn't have. */
function isDate(day: string): boolean {
	const date = new Date(`${day}T00:00:00Z`);
	return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day);
}

/** Returns what a field accepts, in words; '' for any text. */
export function acceptedBy(field: FormField): string {
	switch (field.kind) {
		case 'text': {
			const size = rangeOf(field, count => formatAmount(count, 'character'));
			return [field.format ? (formats[field.format]?.words ?? '') : '', size].filter(Boolean).join(', ');
		}
		case 'number':
			return `${field.isInteger ? 'a whole number' : 'a number'} ${rangeOf(field, String)}`.trim();
		case 'several':
			return `numbers of choices, such as 1, 3${field.least > 0 || field.most < field.options.length ? `; ${rangeOf(field, String)}` : ''}`;
		default:
			return 'one of the choices';
	}
}

function rangeOf(
	{least, most}: {readonly least: number; readonly most: number},
	words: (count: number) => string,
): string {
	const from = Number.isFinite(least) && least !== 0 ? `at least ${words(least)}` : '';
	const to = Number.isFinite(most) ? `at most ${words(most)}` : '';
	return [from, to].filter(Boolean).join(' and ');
}

/** Reads what the user typed or selected. Returns the value, undefined for an optional field left blank, or a problem. */
export function readValue(
	field: FormField,
	typed: string,
): {readonly value: FieldValue | undefined} | {readonly problem: string} {
	const text = typed.trim();
	if (text === '') {
		return field.isRequired ? {problem: 'An answer is required.'} : {value: undefined};
	}

	const value = readKind(field, text);
	return value === undefined
		? {problem: `“${oneLine(text, 40)}” is not valid: it must be ${acceptedBy(field)}.`}
		: {value};
}

function readKind(field: FormField, text: string): FieldValue | undefined {
	switch (field.kind) {
		case 'text': {
			const isFormat = !field.format || (formats[field.format]?.isIt(text) ?? true);
			const length = [...text].length;
			return isFormat && length >= field.least && length <= field.most ? text : undefined;
		}
		case 'number': {
			const number = /^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/i.test(text) ? Number(text) : Number.NaN;
			const isIt = Number.isFinite(number) && (!field.isInteger || Number.isSafeInteger(number));
			return isIt && number >= field.least && number <= field.most ? number : undefined;
		}
		case 'choice':
			return field.options.find(({label}) => label === text)?.value;
		case 'several': {
			const parts = text.split(/[\s,]+/).filter(Boolean);
			const chosen = parts.map(part => field.options[Number(part) - 1]?.value);
			const known = [...new Set(chosen.filter(value => typeof value === 'string'))];
			const isComplete = chosen.every(value => value !== undefined);
			return isComplete && known.length >= field.least && known.length <= field.most ? known : undefined;
		}
		default:
			return field satisfies never;
	}
}
