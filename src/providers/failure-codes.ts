import type {Json} from '../core/json.ts';
import {listAt, textAt} from './json-path.ts';

/** Returns the codes and types of an error in lower case, from every place that vendors use. */
export function codesOf(value: Json | undefined): readonly string[] {
	const error = Array.isArray(value) ? value[0] : value;
	return ['code', 'type', 'status'].flatMap(key =>
		[textAt(error, 'error', key), key === 'type' ? '' : textAt(error, key)]
			.filter(Boolean)
			.map(code => code.toLowerCase()),
	);
}

/** True if the credit or quota of a key is used up: waiting doesn't help. Anthropic says so in its message alone. */
export function isSpent(value: Json | undefined, message: string): boolean {
	return (
		codesOf(value).some(code => /insufficient_quota|billing|insufficient_credit/.test(code)) ||
		/^your credit balance is too low/i.test(message)
	);
}

/** True if a quota of Google for a whole day is used up. Its delay of some seconds is that of another quota. */
export function isDaySpent(value: Json | undefined): boolean {
	const details = listAt(Array.isArray(value) ? value[0] : value, 'error', 'details');
	return details
		.flatMap(detail => listAt(detail, 'violations'))
		.some(violation => /PerDay/.test(textAt(violation, 'quotaId')));
}

/**
 * True if the host could not read what the model wrote: a call of a tool (Groq), or its own form of a message. The same
 * request often gets a readable answer.
 */
export function isMisspelled(value: Json | undefined): boolean {
	return codesOf(value).some(code => /^(?:tool_use_failed|output_parse_failed)$/.test(code));
}

const ofAccount =
	/model[^\n]{0,60}(?:not (?:exist|found|available)|does not exist|doesn't exist|deprecated|decommissioned|retired|unknown)|(?:unknown|invalid|no such|unsupported) model|model_(?:not_found|decommissioned)|not a valid model|location|region|country|moderation|content[_ ](?:policy|filter)|flagged|safety|billing|quota|credit|api[_ -]?key|unauthori[sz]ed|permission|organization|subscription|terms|rate.?limit|overload/i;

/** True for a refusal about the model, the account or what may be said: another form of the request doesn't help there. */
export function isOfAccount(words: string): boolean {
	return ofAccount.test(words);
}
