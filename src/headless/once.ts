import {hookDenial} from '../agent/hooks/hook-denial.ts';
import type {OutputFormat} from '../command/flags.ts';
import {nameCommands} from '../core/command-words.ts';
import {AppError} from '../core/error.ts';
import {plainRecord} from '../core/output/recorded-output.ts';
import {endText} from '../core/session/block.ts';
import type {AgentEvent, Recorded} from '../core/session/event.ts';
import {blocksOf} from '../core/session/transcript.ts';
import type {PriceOf} from '../core/session/usage.ts';
import type {Conversation} from '../session/conversation.ts';
import type {AppStore} from '../store/store.ts';
import {printAnswer, printError, printJson, printWarning} from './print.ts';
import {type RunEnd, resultObject, statusOf} from './result-object.ts';
import {createRunProgress} from './run-progress.ts';

type Output = {readonly write: (data: string) => unknown; readonly isTTY?: boolean};

type Dependencies = {
	readonly store: AppStore;
	readonly conversation: Conversation;
	/** Calls `listener` with every record of the run. */
	readonly onRecord: (listener: (record: Recorded) => void) => void;
	/** Returns the prices, including those of the connected server; called when the run has ended. */
	readonly priceOf: () => Promise<PriceOf>;
	readonly stdout: Output;
	readonly stderr: Output;
	/** True to redraw nothing. */
	readonly isLinear?: boolean;
};

/** Runs one prompt without a screen. Returns the exit status. Throws AppError("usage") for an empty prompt. */
export async function runOnce(
	prompt: string,
	format: OutputFormat,
	{store, conversation, onRecord, priceOf, stdout, stderr, isLinear = false}: Dependencies,
): Promise<number> {
	if (!prompt.trim()) {
		throw new AppError('usage', 'The prompt is empty.', {hint: 'Pass it as -p "prompt", or pipe it in.'});
	}

	const {transcript} = store.getState();
	const before = {from: blocksOf(transcript).length, usedBefore: transcript.usage.size};
	let end: RunEnd = {type: 'run-end', reason: 'error', stopReason: 'error'};
	const progress = createRunProgress(format === 'stream-json' || isLinear ? {write: () => true} : stderr);
	const report = createReport(progress.clear, stderr);
	onRecord(record => {
		progress.follow(record.event);
		if (format === 'stream-json') {
			printJson(withShellHints(plainRecord(record)), stdout);
		} else {
			report(record.event);
		}

		if (record.event.type === 'run-end') {
			end = record.event;
		}
	});

	try {
		await conversation.send(prompt);
		await conversation.close();
	} finally {
		progress.end();
	}

	const result = resultObject(store.getState().transcript, end, {...before, priceOf: await priceOf()});
	if (format === 'text') {
		printAnswer(result.text, stdout);
		printEnd(end, stderr);
	} else {
		printJson(result, stdout);
	}

	const {unsaved} = store.getState();
	if (unsaved) {
		printWarning(`the session wasn't saved: ${unsaved}`, stderr);
	}

	return statusOf(end);
}

/** Returns what prints warnings, and what was refused or denied, while a run goes on. */
function createReport(clear: () => void, stderr: Output): (event: AgentEvent) => void {
	const tools = new Map<string, string>();
	let question = '';
	return event => {
		if (event.type === 'tool-call') {
			tools.set(event.id, event.name);
		} else if (event.type === 'approval-request') {
			question = event.summary;
		} else if (event.type === 'approval-answer' && !event.allowed) {
			clear();
			printRefusal(question, event, stderr);
		} else if (event.type === 'notice' && event.level !== 'info') {
			clear();
			printWarning(event.text, stderr, event.hint);
		} else if (event.type === 'tool-result' && event.failed && event.output.startsWith(hookDenial)) {
			clear();
			printWarning(`A hook denied ${tools.get(event.id)}: ${event.output.slice(hookDenial.length)}`, stderr);
		}
	};
}

/** Prints what was refused, and which flags allow it. */
function printRefusal(question: string, {by, flags}: Extract<AgentEvent, {type: 'approval-answer'}>, stderr: Output) {
	if (by === 'flag') {
		const hint = flags ? `Allow it with ${flags}.` : 'Only the app can ask you for it.';
		printWarning(`Refused without asking (not interactive): ${question}`, stderr, hint);
	} else {
		printWarning(`Refused: ${question}`, stderr);
	}
}

/** Returns a record whose hints name commands as typed in a shell. */
function withShellHints(record: Recorded): Recorded {
	const {event} = record;
	if (event.type === 'notice' && event.hint !== undefined) {
		return {...record, event: {...event, hint: nameCommands(event.hint, 'shell')}};
	}

	if (event.type === 'run-end' && event.error?.hint !== undefined) {
		return {...record, event: {...event, error: {...event.error, hint: nameCommands(event.error.hint, 'shell')}}};
	}

	return record;
}

/** Prints to standard error why the answer is incomplete; scripts read the answer itself from standard output. */
function printEnd({reason, stopReason, error, refused}: RunEnd, stderr: Output): void {
	const message = endText(reason, error?.message, stopReason);
	if (message) {
		const hint = refused && {hint: 'Shorten the prompt, or start a new session without -c and --resume.'};
		printError({code: 'failed', ...error, message, ...hint}, stderr, {json: false});
	}
}
