import * as z from 'zod/mini';
import {pathParameters} from './parameters.ts';
import {wireName} from './path.ts';

/** One part of a value that violates the contract. */
export type Violation = {
	/** Its path, from the outside in. */
	readonly path: ReadonlyArray<string | number>;
	/** The violated rule, worded to follow the name of the field: “must have at most 16 characters”. */
	readonly rule: string;
	/** The kind of rule, machine-readable: zod's code. */
	readonly code: z.core.$ZodIssue['code'];
};

type Issue = z.core.$ZodIssue;

/** A value as a schema reads it; valid only if `wrong` is empty. */
type Checked = {readonly data: unknown; readonly wrong: readonly Violation[]};

/** Parses `value` once. Returns the result and all violations, in the order of the schema. */
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

/** Returns all violations of `schema` in `value`, in the order of the schema; empty if it is valid. */
export function violations(schema: z.ZodMiniType, value: unknown): readonly Violation[] {
	return check(schema, value).wrong;
}

/** Returns the violations of a path parameter, under its name in the specification. */
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
			return `must be ${formats[issue.format] ?? 'in another format'}`;
		case 'invalid_type':
			return `must be ${kinds[issue.expected] ?? issue.expected}`;
		default:
			return 'is invalid';
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
