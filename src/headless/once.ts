import type {OutputFormat} from '../command/flags.ts';
import {nameCommands} from '../core/command-words.ts';
import {AppError, exitStatus} from '../core/error.ts';
import {plainRecord} from '../core/output/recorded-output.ts';
import {endText} from '../core/session/block.ts';
import type {Recorded} from '../core/session/event.ts';
import {blocksOf} from '../core/session/transcript.ts';
import type {PriceOf} from '../core/session/usage.ts';
import type {Conversation} from '../session/conversation.ts';
import type {AppStore} from '../store/store.ts';
import {createLosses, isLossy, type Losses} from './losses.ts';
import {printAnswer, printError, printJson} from './print.ts';
import {doubted, type RunEnd, resultIn, resultObject, statusOf} from './result-object.ts';
import type {RunProgress} from './run-progress.ts';

type Output = {readonly write: (data: string) => unknown; readonly isTTY?: boolean};

type Dependencies = {
	readonly store: AppStore;
	readonly conversation: Pick<Conversation, 'send' | 'close'>;
	/** Calls `listener` with every record of the run. */
	readonly onRecord: (listener: (record: Recorded) => void) => void;
	/** Returns the prices, including those of the connected server; called when the run has ended. */
	readonly priceOf: () => Promise<PriceOf>;
	readonly stdout: Output;
	readonly stderr: Output;
	/** Shows what the run waits for; nothing by default. */
	readonly progress?: RunProgress;
	/** What was lost before the run, to which that of the run is added. */
	readonly losses?: Losses;
	/** True if the exit status says that something was lost or refused. */
	readonly isStrict?: boolean;
	/** Waits for what the run left in the background, or records that it is ended. */
	readonly settleJobs?: () => Promise<void>;
	/** Ends what works beside the run, such as the export of traces, once the answer is there. */
	readonly finish?: () => Promise<void>;
	/** Aborts when the user interrupts. */
	readonly signal?: AbortSignal;
	/** The part of the prompt in which mentions count; all of it if left out. */
	readonly mentionsIn?: string | undefined;
};

/**
 * Runs one prompt without a screen. Returns the exit status. Throws AppError("usage") for an empty prompt.
 */
export async function runOnce(
	prompt: string,
	format: OutputFormat,
	{store, conversation, onRecord, priceOf, stdout, stderr, signal, ...given}: Dependencies,
): Promise<number> {
	if (!prompt.trim()) {
		throw new AppError('usage', 'The prompt is empty.', {hint: 'Pass it as -p "prompt", or pipe it in.'});
	}

	const {progress, losses = createLosses(stderr, progress?.clear), isStrict = false} = given;
	const {transcript} = store.getState();
	const before = {from: blocksOf(transcript).length, usedBefore: transcript.usage.size};
	let end: RunEnd = {type: 'run-end', reason: 'error', stopReason: 'error'};
	let last: Recorded | undefined;
	onRecord(record => {
		progress?.follow(record.event);
		losses.follow(record.event);
		last = record;
		if (format.startsWith('stream')) {
			printJson(withShellHints(plainRecord(record)), stdout);
		}

		if (record.event.type === 'run-end') {
			end = record.event;
		}
	});

	try {
		await conversation.send(prompt, 'user', given.mentionsIn);
		await given.settleJobs?.();
		await conversation.close();
	} finally {
		progress?.end();
	}

	if (end.reason === 'done' && signal?.aborted) {
		end = {...end, reason: 'interrupted'};
	}

	const {transcript: after, unsaved} = store.getState();
	const prices = {...before, priceOf: await priceOf()};
	if (unsaved) {
		losses.warn(`the session wasn't saved: ${unsaved}`);
	}

	if (format === 'text') {
		printAnswer(resultObject(after, end, prices).text, stdout);
	}

	await given.finish?.();
	const judged = doubted(end, after, {from: before.from, doubt: losses.doubtful()});
	if (format === 'text') {
		// What makes an answer doubtful is printed already.
		printEnd(end, stderr);
	} else {
		printJson(resultIn(format, resultObject(after, judged, {...prices, losses}), last), stdout);
	}

	const status = statusOf(judged);
	return status === 0 && isStrict && isLossy(losses) ? exitStatus.incomplete : status;
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
