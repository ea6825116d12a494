import type {Choice, FilterField} from '../../core/question.ts';
import {closest} from '../closest.ts';
import {lastWord} from '../words.ts';

/** The matching choices, best first; `fault` is a sentence about the invalid part of the filter. */
type Narrowed = {readonly found: readonly Choice[]; readonly fault?: string};

type Test = (choice: Choice) => boolean;

/**
 * Narrows a list by typed words, which may be anywhere in a choice; labels that start with the first word come first. If
 * the list has fields, filters such as `state:paused` and `cost:>1` narrow it too. An invalid part is ignored. Quotes keep
 * spaces. `now` is in milliseconds since the epoch.
 */
export function narrowChoices(
	choices: readonly Choice[],
	filter: string,
	{filters = [], now = Date.now()}: {readonly filters?: readonly FilterField[] | undefined; readonly now?: number} = {},
): Narrowed {
	const {before, word} = lastWord(filter);
	const terms = [...before, word].filter(Boolean).map(text => termOf(text, filters, now));
	const tests = terms.flatMap(term => (term.kind === 'test' ? [term.test] : []));
	const words = terms.flatMap(term => (term.kind === 'word' ? [term.word] : []));
	const fault = terms.find(term => term.kind === 'fault')?.fault;
	const matching = choices.filter(choice => {
		const text = textOf(choice);
		return words.every(part => text.includes(part)) && tests.every(passes => passes(choice));
	});
	const [first] = words;
	const begins = ({label}: Choice) => (first && label.toLowerCase().startsWith(first) ? 0 : 1);
	const found = first ? matching.toSorted((a, b) => begins(a) - begins(b)) : matching;
	return {found, ...(fault && {fault})};
}

function textOf({label, detail = '', fields = {}}: Choice): string {
	return `${label} ${detail} ${fields['id'] ?? ''}`.toLowerCase();
}

type Term =
	| {readonly kind: 'word'; readonly word: string}
	| {readonly kind: 'test'; readonly test: Test}
	| {readonly kind: 'fault'; readonly fault: string};

function termOf(text: string, filters: readonly FilterField[], now: number): Term {
	const [, name, wanted = ''] = /^([a-z]+):(.*)$/i.exec(text) ?? [];
	const lower = name?.toLowerCase();
	const field = filters.find(known => known.name === lower);
	if (field) {
		return testOf(field, wanted.toLowerCase(), now);
	}

	// Titles contain colons too, so only near misses of a filter's name count as a misspelt filter.
	const near =
		lower === undefined
			? undefined
			: closest(
					lower,
					filters.map(known => known.name),
				);
	return near
		? {kind: 'fault', fault: `Unknown filter “${name}:”. Did you mean “${near}:”?`}
		: {kind: 'word', word: text.toLowerCase()};
}

function testOf(field: FilterField, wanted: string, now: number): Term {
	const {name, compares, example, words} = field;
	if (compares === 'text') {
		const isKnown = wanted !== '' && (!words || words.some(word => word.includes(wanted)));
		const test: Test = ({fields}) =>
			String(fields?.[name] ?? '')
				.toLowerCase()
				.includes(wanted);
		return isKnown
			? {kind: 'test', test}
			: {kind: 'fault', fault: words ? `${name}: takes ${words.join(', ')}.` : `${name}: needs a word: ${example}`};
	}

	const comparison = compares === 'age' ? readAge(wanted) : readNumber(wanted);
	if (!comparison) {
		return {kind: 'fault', fault: `${name}: takes a ${compares === 'age' ? 'time' : 'number'}, such as ${example}`};
	}

	const test: Test = ({fields}) => {
		const value = fields?.[name];
		// An unknown value matches no comparison.
		return typeof value === 'number' && comparison(compares === 'age' ? now - value : value);
	};
	return {kind: 'test', test};
}

type Comparison = (value: number) => boolean;

function readNumber(text: string): Comparison | undefined {
	const [, sign = '=', number] = /^([<>]=?|=)?\$?(\d{1,12}(?:\.\d{1,9})?)$/.exec(text) ?? [];
	return number === undefined ? undefined : comparisonOf(sign, Number(number));
}

const units: Readonly<Record<string, number>> = {m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000};

/** Reads `<2d` or `>1h`; without a sign it means at most that long ago. */
function readAge(text: string): Comparison | undefined {
	const [, sign = '<=', number, unit = ''] = /^([<>]=?)?(\d{1,6}(?:\.\d{1,3})?)([mhdw])$/.exec(text) ?? [];
	return number === undefined ? undefined : comparisonOf(sign, Number(number) * (units[unit] ?? 0));
}

function comparisonOf(sign: string, bound: number): Comparison {
	switch (sign) {
		case '<':
			return value => value < bound;
		case '<=':
			return value => value <= bound;
		case '>':
			return value => value > bound;
		case '>=':
			return value => value >= bound;
		default:
			return value => value === bound;
	}
}
