import * as z from 'zod/mini';
import {pathParameters} from './parameters.ts';
import {wireName} from './path.ts';

/** One place of a request that is not as the contract says. */
export type Violation = {
	/** Where, from the outside in. */
	readonly path: ReadonlyArray<string | number>;
	/** What must be, to be read after the name of the place: “must have at most 16 characters”. */
	readonly rule: string;
	/** Which kind of rule, in zod's words, for programs. */
	readonly code: z.core.$ZodIssue['code'];
};

type Issue = z.core.$ZodIssue;

/** A value as a schema reads it, which is worth something only where nothing is wrong. */
type Checked = {readonly data: unknown; readonly wrong: readonly Violation[]};

/** Reads `value` by `schema`, once, with everything in it that the schema forbids, in its order. */
export function check(schema: z.ZodMiniType, value: unknown): Checked {
	const {data, error} = z.safeParse(schema, value);
	const wrong = (error?.issues ?? []).flatMap((issue): readonly Violation[] => {
		const path = issue.path.map(key => (typeof key === 'number' ? key : String(key)));
		return issue.code === 'unrecognized_keys'
			? issue.keys.map(key => ({path: [...path, key], rule: 'is not known here', code: issue.code}))
			: [{path, rule: ruleOf(issue, isMissing(value, path)), code: issue.code}];
	});
	return {data, wrong};
}

/** Everything in `value` that `schema` forbids, in its order; empty where nothing is wrong. */
export function violations(schema: z.ZodMiniType, value: unknown): readonly Violation[] {
	return check(schema, value).wrong;
}

/** What is wrong with the parameter of a path, by the name that it has in the contract. */
export function parameterViolations(name: string, value: unknown): readonly Violation[] {
	const schema = Object.entries(pathParameters).find(([known]) => known === name)?.[1];
	return schema ? violations(schema, value).map(violation => ({...violation, path: [wireName(name)]})) : [];
}

function isMissing(value: unknown, path: ReadonlyArray<string | number>): boolean {
	const found = path.reduce<unknown>(
		(inner, key) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, key) : undefined),
		value,
	);
	return found === undefined;
}

function ruleOf(issue: Issue, missing: boolean): string {
	if (missing) {
		return 'is required';
	}

	switch (issue.code) {
		case 'too_small':
			return `must ${amount('at least', issue.minimum, issue.origin)}`;
		case 'too_big':
			return `must ${amount('at most', issue.maximum, issue.origin)}`;
		case 'invalid_value':
			return `must be one of ${issue.values.map(String).join(', ')}`;
		case 'invalid_format':
			return `must be ${formats[issue.format] ?? 'of another form'}`;
		case 'invalid_type':
			return `must be ${kinds[issue.expected] ?? issue.expected}`;
		default:
			return 'is not right';
	}
}

function amount(bound: string, limit: number | bigint, origin: string): string {
	switch (origin) {
		case 'string':
			return `have ${bound} ${limit} ${plural('character', limit)}`;
		case 'array':
			return `have ${bound} ${limit} ${plural('entry', limit)}`;
		default:
			return `be ${bound} ${limit}`;
	}
}

function plural(word: string, count: number | bigint): string {
	return Number(count) === 1 ? word : word.replace(/y?$/, ending => (ending ? 'ies' : 's'));
}

const formats: Readonly<Record<string, string>> = {
	guid: 'a UUID',
	datetime: 'a timestamp as 2026-01-31T12:00:00Z',
	regex: 'a UUID or the beginning of one',
};

const kinds: Readonly<Record<string, string>> = {
	string: 'text',
	number: 'a number',
	int: 'a whole number',
	boolean: 'true or false',
	array: 'a list',
	object: 'an object',
	record: 'an object',
};
