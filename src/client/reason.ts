import {type Lenient, readLeniently} from '../contract/lenient.ts';
import {problemSchema, type ValidationErrorItem} from '../contract/problem.ts';
import {isJsonObject, type Json, parseJson} from '../core/json.ts';
import {isWebPage} from '../net/read-body.ts';

/** Why a server rejected a request, in its own words. */
export type Reason = {
	/** Without a final full stop. */
	readonly detail: string | undefined;
	readonly type: string | undefined;
	/** Invalid fields, such as “body.name: too long”. */
	readonly fields: readonly string[];
	/** True if the detail explains the error by itself: it names an unknown input and the accepted ones. */
	readonly isComplete: boolean;
	/** A clause for a response without a reason. */
	readonly note: string | undefined;
	/** True for a web page in place of a reason. */
	readonly isPage: boolean;
};

const maxLength = 500;
const maxFields = 5;

/** Reads the body of an error: `APIErrorPayload`, or something close to it. Never throws. */
export function reasonOf(headers: Readonly<Record<string, string>>, text: string): Reason {
	const value = parseJson(text);
	if (isJsonObject(value)) {
		const problem = readLeniently(problemSchema, value) ?? {};
		const detail = problem.detail ?? plainDetail(value);
		const isComplete = detail !== undefined && problem.errors?.[0]?.type === 'unknown_input';
		const fields = fieldsOf(isComplete ? (problem.errors ?? []).slice(1) : (problem.errors ?? []), detail ?? '');
		const note = detail === undefined && fields.length === 0 ? 'no reason given' : undefined;
		const type = problem.type && shown(problem.type);
		return {detail: detail && shown(detail), type, fields, isComplete, note, isPage: false};
	}

	const isPage = value === undefined && isWebPage(headers, text);
	return {detail: undefined, type: undefined, fields: [], isComplete: false, note: noteOn(text, isPage), isPage};
}

function noteOn(text: string, isPage: boolean): string {
	if (text.trim() === '') {
		return 'no reason given';
	}

	if (isPage) {
		return 'it returned a web page, perhaps from a proxy';
	}

	return 'its reason is unreadable';
}

/** Returns the sentence of a framework that doesn't know `APIErrorPayload`. */
function plainDetail(value: Readonly<Record<string, Json>>): string | undefined {
	return [value['message'], value['error']].find(text => typeof text === 'string');
}

/** Returns the invalid fields that the detail doesn't mention: some servers repeat the first one there. */
function fieldsOf(errors: readonly Lenient<ValidationErrorItem>[], detail: string): readonly string[] {
	const items = errors.filter(
		({loc = [], msg}) => !(loc.length > 0 && msg && detail.includes(`${loc.join('.')} ${msg}`)),
	);
	const named = items.slice(0, maxFields).map(fieldOf);
	return items.length > maxFields ? [...named, `and ${items.length - maxFields} more`] : named;
}

function fieldOf({loc = [], msg, type}: Lenient<ValidationErrorItem>): string {
	return shown([loc.join('.'), msg ?? type ?? ''].filter(Boolean).join(': '));
}

/** Returns text as one short line without a final full stop. */
function shown(text: string): string {
	const line = text.trim().replace(/\s+/g, ' ');
	return line.length > maxLength ? `${line.slice(0, maxLength)}…` : line.replace(/\.$/, '');
}
