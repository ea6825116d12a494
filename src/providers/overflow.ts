import type {Json} from '../core/json.ts';
import {codesOf} from './failure-codes.ts';

/** How a refusal says that a request doesn't fit: `sure` in the words or codes of known hosts, `likely` by its grammar. */
export type OverflowEvidence = 'sure' | 'likely';

const sureCodes =
	/context_length|context_window|exceed_context|request_too_large|max_prompt_tokens|tokens_limit_reached|string_above_max_length|prompt_too_long|input_too_long/;

/** OpenAI, vLLM, SGLang, llama.cpp, LM Studio, Ollama, Anthropic, Google, Groq, Mistral and those who took their words over. */
const sureWords =
	/context[ _](?:length|window|size|limit)|(?:prompt|input|request) (?:is |was )?too (?:long|large)|too many (?:input |total |prompt )?tokens|input token count|maximum (?:context|prompt|model|input|sequence) length|reduce the length|max(?:imum)?[ _](?:seq(?:uence)?|model)[ _]len/i;

/** What doesn't fit: the conversation as a whole. */
const subject = String.raw`(?:prompt|inputs?|context|conversation|chat history|messages?|request(?: body| payload| entity)?|payload|sequence|(?:num(?:ber)?|length) of (?:\w+ )?tokens|tokens?)`;

/** That it doesn't: it is more than something allows. */
const excess = String.raw`(?:too (?:long|large|big)\b|exceed(?:s|ed|ing)?\b|(?:longer|larger|greater|bigger|more) than|(?:must|should|can) (?:not |only )?(?:be |have )?(?:<=?|less|at most|fewer|smaller|shorter|under|below|exceed)|cannot exceed|over the (?:limit|maximum)|above the (?:limit|maximum)|(?:only )?supports? (?:up to|at most)|does(?:n't| not) fit|no room|overflow|should be \[|beyond|truncat|shorten|shorter|(?:limit|maximum|max)[^.\n]{0,20}(?:reached|hit))`;

const grammar = new RegExp(String.raw`\b${subject}[^\n]{0,100}?${excess}|${excess}[^\n]{0,60}?\b${subject}`, 'i');

/** In Chinese: prompt, input, context, tokens or length, and too long, exceeds, upper limit. */
const chinese =
	/(?:输入|提示|上下文|对话|消息|请求|长度|token)[^\n]{0,40}(?:过长|超长|过大|太长|超过|超出|超限|上限)|prompt ?超长/i;

/** Limits of single parts of a request, which a shorter conversation wouldn't change. */
const ofPart =
	/\b(?:image|picture|photo|pdf|audio|video|tools?|functions?|schema|temperature|top_[pk]|stop sequences?|metadata|cache_control|prompt_cache_key|call_id|name|id)\b/i;

/** Limits of the answer alone. */
const ofAnswer = /max_(?:completion_|output_|new_)?tokens|(?:completion|output) tokens/i;
const ofConversation = /\b(?:context|prompt|inputs?|messages?|conversation|sequence)\b/i;

/** A limit per time: the same request may pass later. */
const ofTime = /\bper[- _](?:min(?:ute)?|sec(?:ond)?|hour|day|month)\b|\b(?:TPM|RPM|TPD|RPD)\b|rate[- _]?limit/i;

/** Limits of an account, and of the time that an answer takes. */
const ofUse =
	/\btime(?:d)?[ -]?(?:out|limit)\b|\bdeadline\b|\bconcurren|\bquota\b|\b(?:credit|budget|billing|plan|usage)\b|\b(?:daily|weekly|monthly|today)\b|\btry again (?:in|later|after)\b/i;

/** Smaller limits are those of a list, a name or an option. */
const minWindow = 256;

/** True if a refusal is about a limit per time, such as tokens per minute. */
export function isLimitOfTime(message: string): boolean {
	return ofTime.test(message);
}

/** Returns how an error says that the request doesn't fit into the context window; undefined if it doesn't say so. */
export function overflowEvidence(value: Json | undefined, message: string): OverflowEvidence | undefined {
	const codes = codesOf(value);
	if (codes.some(code => sureCodes.test(code))) {
		return 'sure';
	}

	if (isLimitOfTime(message) || codes.some(code => /rate_limit/.test(code))) {
		return undefined;
	}

	const isAboutAnswer = ofAnswer.test(message) && !ofConversation.test(message.replace(new RegExp(ofAnswer, 'gi'), ''));
	if (isAboutAnswer) {
		return undefined;
	}

	if (sureWords.test(message)) {
		return 'sure';
	}

	const numbers = numbersIn(message);
	const isSmall = numbers.length > 0 && numbers.every(number => number < minWindow);
	const isOfPart = ofPart.test(message) && !/\btokens?\b/i.test(message);
	return !isSmall && !isOfPart && !ofUse.test(message) && (grammar.test(message) || chinese.test(message))
		? 'likely'
		: undefined;
}

/** Words around the number that is the window. */
const beforeWindow =
	/(?:max(?:imum)?|limit|context|window|n_ctx|<=?|>=?|at most|up to|less than|cannot exceed|only supports|longer than|larger than|greater than|should be \[\d+,|exceeds?(?: the)?)[^\d\n]{0,40}$/i;
const afterWindow = /^[^\d\n.]{0,12}(?:max(?:imum)?|limit)/i;
const maxWindow = 20_000_000;

/**
 * Returns the context window in tokens that a refusal names, such as 8192 in “maximum context length is 8192 tokens, but you
 * requested 9000”. Undefined if it names none, or in bytes or characters.
 */
export function windowNamed(text: string): number | undefined {
	if (
		!/tokens?\b|context|n_ctx|max_?(?:model|seq)/i.test(text) ||
		/\b(?:bytes|characters|chars)\b|\b[KM]B\b/i.test(text)
	) {
		return undefined;
	}

	const found = [...text.matchAll(numberPattern)].map(match => ({
		value: toNumber(match[0]),
		before: text.slice(Math.max(0, match.index - 60), match.index),
		after: text.slice(match.index + match[0].length, match.index + match[0].length + 30),
	}));
	const largest = Math.max(...found.map(({value}) => value));
	const windows = found.filter(
		({value, before, after}) =>
			value >= minWindow &&
			value <= maxWindow &&
			value < largest &&
			(beforeWindow.test(before) || afterWindow.test(after)),
	);
	const [first] = windows.toSorted((a, b) => b.value - a.value);
	return first?.value;
}

/** True if a limit per time is smaller than one request alone, as in “Limit 6000, Requested 12345”: waiting never helps. */
export function isBeyondLimit(message: string): boolean {
	const [, limit = ''] = /\blimit:?\s+(?:is\s+)?(\d[\d,_]*)/i.exec(message) ?? [];
	const [, requested = ''] = /\brequested:?\s+(?:about\s+)?(\d[\d,_]*)/i.exec(message) ?? [];
	return limit !== '' && requested !== '' && toNumber(requested) > toNumber(limit);
}

const numberPattern = /(?<![\w.])\d{1,3}(?:[,_]\d{3})+(?!\d)|(?<![\w.])\d+(?![\w]*[a-z])/g;

function numbersIn(text: string): readonly number[] {
	return [...text.matchAll(numberPattern)].map(([number]) => toNumber(number));
}

function toNumber(text: string): number {
	return Number(text.replace(/[,_]/g, ''));
}
