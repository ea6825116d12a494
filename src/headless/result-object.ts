import {type OutputFormat, readFlags, runFlags} from '../command/flags.ts';
import {type ErrorReport, exitStatus} from '../core/error.ts';
import type {Json} from '../core/json.ts';
import {hiddenReport} from '../core/secrets/hidden-report.ts';
import {type Block, endText} from '../core/session/block.ts';
import type {AgentEvent, Recorded} from '../core/session/event.ts';
import {blocksOf, emptyTranscript, type Transcript} from '../core/session/transcript.ts';
import {type PriceOf, sumUsage, totalCost} from '../core/session/usage.ts';
import type {Losses} from './losses.ts';

/** How a run ended. */
export type RunEnd = Extract<AgentEvent, {type: 'run-end'}>;

/** The object that `--output-format json` prints. Programs depend on it. */
type ResultObject = {
	readonly type: 'result';
	readonly text: string;
	readonly tool_calls: ReadonlyArray<{readonly name: string; readonly arguments: Json}>;
	readonly stop_reason: RunEnd['stopReason'];
	readonly usage: {
		readonly input_tokens: number;
		readonly output_tokens: number;
		readonly cache_read_input_tokens: number;
		readonly cache_creation_input_tokens: number;
		readonly reasoning_tokens: number;
	};
	readonly cost_usd: number | null;
	/** Empty if the run couldn't start. */
	readonly session_id: string;
	readonly error: {readonly code: string; readonly message: string} | null;
	/** What was left out, cut, not found or not ready, a sentence each, in order. */
	readonly warnings: readonly string[];
	/** The number of acts that needed approval and were refused. */
	readonly refused: number;
};

/**
 * Sums up one run. `from` is the number of blocks, `usedBefore` the number of messages with usage, that the session had
 * before it. `text` is the model's last message that isn't empty.
 */
export function resultObject(
	transcript: Transcript,
	end: RunEnd,
	{
		from,
		usedBefore,
		priceOf,
		losses,
	}: {
		readonly from: number;
		readonly usedBefore: number;
		readonly priceOf: PriceOf;
		readonly losses?: Losses;
	},
): ResultObject {
	const blocks = blocksOf(transcript).slice(from);
	const messages = [...transcript.usage.values()].slice(usedBefore);
	const sum = sumUsage(messages);
	return {
		type: 'result',
		text: lastText(blocks),
		tool_calls: blocks.flatMap(block =>
			block.kind === 'tool' ? [{name: block.name, arguments: block.arguments}] : [],
		),
		stop_reason: end.stopReason,
		usage: {
			input_tokens: sum.input,
			output_tokens: sum.output,
			cache_read_input_tokens: sum.cacheRead,
			cache_creation_input_tokens: sum.cacheWrite,
			reasoning_tokens: sum.reasoning,
		},
		cost_usd: totalCost(messages, priceOf),
		session_id: transcript.session,
		error: errorOf(end),
		warnings: losses?.warnings() ?? [],
		refused: losses?.refused() ?? 0,
	};
}

/**
 * The last line of `stream-json`: a record as all lines before it, whose event is the result. The fields of the result also
 * stand beside the event, where programs that were written for `json` look for them.
 */
type ResultLine = Omit<Recorded, 'event'> & ResultObject & {readonly event: ResultObject};

/** Returns the result as the format ends with it. `last` is the last record of the run; undefined if there was none. */
export function resultIn(format: OutputFormat, result: ResultObject, last?: Recorded): ResultObject | ResultLine {
	if (format !== 'stream-json') {
		return result;
	}

	const {v = 1, seq = -1, server = 'local', session = result.session_id} = last ?? {};
	return {v, seq: seq + 1, at: new Date().toISOString(), session, server, event: result, ...result};
}

/** Returns the end of a run whose answer can't be trusted: incomplete, if nothing was said or `doubt` says why. */
export function doubted(
	end: RunEnd,
	transcript: Transcript,
	{from, doubt}: {readonly from: number; readonly doubt: string | undefined},
): RunEnd {
	if (statusOf(end) !== 0) {
		return end;
	}

	const isSilent = lastText(blocksOf(transcript).slice(from)) === '';
	const message = doubt ?? (isSilent ? `${transcript.agent?.name ?? 'The model'} gave an empty answer.` : undefined);
	return message === undefined ? end : {...end, reason: 'incomplete', error: {code: 'incomplete', message}};
}

/** Returns the format in which `-p` ends with a result, whatever else is wrong with its arguments; undefined without one. */
export function resultFormat(argv: readonly string[]): OutputFormat | undefined {
	const {given} = readFlags(argv, runFlags);
	const named = given.get('format')?.at(-1);
	return given.has('prompt') ? resultFormats.find(format => format === named) : undefined;
}

const resultFormats = ['json', 'stream-json', 'stream-json-old'] as const satisfies readonly OutputFormat[];

/** Returns the result with which `-p` ends if it couldn't begin; undefined if it ends with none. */
export function resultOfStart(argv: readonly string[], error: ErrorReport): object | undefined {
	const format = resultFormat(argv);
	return format && resultIn(format, resultWithoutRun(error));
}

/** Returns the result of a run that couldn't start, for programs that wait for one. */
export function resultWithoutRun(error: ErrorReport, losses?: Losses): ResultObject {
	const end: RunEnd =
		error.code === 'interrupted'
			? {type: 'run-end', reason: 'interrupted', stopReason: 'incomplete'}
			: {type: 'run-end', reason: 'error', stopReason: 'error', error: hiddenReport(error)};
	return resultObject(emptyTranscript(''), end, {
		from: 0,
		usedBefore: 0,
		priceOf: () => undefined,
		...(losses && {losses}),
	});
}

function lastText(blocks: readonly Block[]): string {
	const texts = blocks.filter(block => block.kind === 'text' && block.text.trim() !== '');
	const last = texts.at(-1);
	return texts
		.flatMap(block =>
			block.kind === 'text' && last?.kind === 'text' && block.messageId === last.messageId ? [block.text] : [],
		)
		.join('');
}

function errorOf({reason, stopReason, error}: RunEnd): ResultObject['error'] {
	if (error) {
		return {code: error.code, message: error.message};
	}

	const message = endText(reason, undefined, stopReason);
	const codes = {done: 'incomplete', error: 'failed'} as const;
	return message ? {code: reason === 'done' || reason === 'error' ? codes[reason] : reason, message} : null;
}

/** Returns the exit status of a run. */
export function statusOf({reason, stopReason, error}: RunEnd): number {
	switch (reason) {
		case 'done':
			// Cut at the token limit, filtered or refused: the run has ended with an incomplete answer.
			return endText(reason, error?.message, stopReason) ? exitStatus.incomplete : 0;
		case 'interrupted':
			return exitStatus.interrupted;
		case 'incomplete':
			return exitStatus.incomplete;
		case 'budget':
			return exitStatus.budget;
		case 'error':
			return error ? exitStatus[error.code] : exitStatus.failed;
		default:
			return reason satisfies never;
	}
}
