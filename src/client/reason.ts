import {type Lenient, readLeniently} from '../contract/lenient.ts';
import {type Problem, problemSchema, type ValidationErrorItem} from '../contract/problem.ts';
import {isJsonObject, type Json, parseJson} from '../core/json.ts';
import {isWebPage} from '../net/read-body.ts';

/** Why a server refused, in its own words as far as it gave any. */
export type Reason = {
	/** Without a full stop at its end. */
	readonly detail: string | undefined;
	readonly type: string | undefined;
	/** What is wrong with which field, “body.name: too long”. */
	readonly fields: readonly string[];
	/** What is to be said of an answer that gives no reason. */
	readonly note: string | undefined;
};

const longest = 500;
const mostFields = 5;

/** Reads the body of an error: `APIErrorPayload`, or the nearest to it that came. Never throws. */
export function reasonOf(headers: Readonly<Record<string, string>>, text: string): Reason {
	const value = parseJson(text);
	if (isJsonObject(value)) {
		const problem = readLeniently(problemSchema, value) ?? {};
		const detail = problem.detail ?? plainDetail(value);
		const fields = fieldsOf(problem, detail ?? '');
		const note = detail === undefined && fields.length === 0 ? 'it gave no reason' : undefined;
		return {detail: detail && shown(detail), type: problem.type && shown(problem.type), fields, note};
	}

	return {detail: undefined, type: undefined, fields: [], note: noteOn(headers, text, value)};
}

function noteOn(headers: Readonly<Record<string, string>>, text: string, value: Json | undefined): string {
	if (text.trim() === '') {
		return 'it gave no reason';
	}

	if (value === undefined && isWebPage(headers, text)) {
		return 'a web page came instead of a reason, perhaps from a proxy';
	}

	return 'its reason cannot be read';
}

/** Where frameworks put a sentence that know nothing of `APIErrorPayload`. */
function plainDetail(value: Readonly<Record<string, Json>>): string | undefined {
	return [value['message'], value['error']].find(words => typeof words === 'string');
}

/** What the detail does not say itself: servers repeat there what is wrong with the first field. */
function fieldsOf({errors}: Lenient<Problem>, detail: string): readonly string[] {
	const items = (errors ?? []).filter(
		({loc = [], msg}) => !(loc.length > 0 && msg && detail.includes(`${loc.join('.')} ${msg}`)),
	);
	const named = items.slice(0, mostFields).map(fieldOf);
	return items.length > mostFields ? [...named, `and ${items.length - mostFields} more`] : named;
}

function fieldOf({loc = [], msg, type}: Lenient<ValidationErrorItem>): string {
	return shown([loc.join('.'), msg ?? type ?? ''].filter(Boolean).join(': '));
}

/** One line that fits on a screen, without the full stop that our own sentence ends with. */
function shown(words: string): string {
	const line = words.trim().replace(/\s+/g, ' ');
	return line.length > longest ? `${line.slice(0, longest)}…` : line.replace(/\.$/, '');
}
