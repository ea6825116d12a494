import type {LogSource} from '../../contract/log-cursor.ts';
import type {AppError} from '../../core/error.ts';
import type {Json} from '../../core/json.ts';
import type {Filter} from '../../logs/filter.ts';
import {levelOf} from '../../logs/levels.ts';
import {type Mark, markText} from '../../logs/log-entry.ts';
import {readLog} from '../../logs/log-reader.ts';
import type {Matcher} from '../../logs/matcher.ts';
import {tailLog} from '../../logs/tail.ts';
import {systemTailClock, type TailClock} from '../../logs/tail-clock.ts';
import {describeState, type TailState} from '../../logs/tail-state.ts';
import type {StreamItem} from '../result.ts';

type Options = {
	readonly source: LogSource;
	readonly signal: AbortSignal;
	readonly filter: Filter;
	/** Continues until it is interrupted, or the log ends. */
	readonly follow: boolean;
	readonly sinceStart: boolean;
	/** Ends after the first line that matches, hidden or not, and at a last line without an end that does. */
	readonly last?: Matcher | undefined;
	/** Throws AppError("not-found") if the environment is gone at the end; otherwise that isn't a failure. */
	readonly exitStatus: boolean;
	readonly onWait: (milliseconds: number, error: unknown) => void;
	readonly clock?: TailClock;
};

type Items = AsyncGenerator<readonly StreamItem[], void>;

/**
 * Yields the log of an environment for a shell, in batches. Throws the error of the first read, AppError("auth") if the login
 * ends, and AppError("usage") for a filter that takes too long. Ends silently when `signal` aborts.
 */
export async function* streamLog(options: Options): Items {
	const counted = createLineCounter(options.filter);
	if (options.follow) {
		yield* followed(options, counted);
		return;
	}

	for await (const {mark, lines} of readLog(options)) {
		yield [...(mark ? [counted.mark(mark)] : []), ...counted.lines(lines)];
	}
}

async function* followed(
	{source, signal, sinceStart, last, exitStatus, clock = systemTailClock}: Options,
	counted: Counter,
): Items {
	let before: TailState['name'] = 'connecting';
	let wasAnswered = false;
	for await (const event of tailLog({source, signal, sinceStart, clock})) {
		if (event.type === 'open') {
			yield [counted.open(event.text)];
			if (last && event.text !== '' && last.match([event.text])[0] === true) {
				yield counted.lines([event.text]);
				return;
			}
		} else if (event.type === 'lines') {
			const found = last ? last.match(event.lines).indexOf(true) : -1;
			yield counted.lines(found === -1 ? event.lines : event.lines.slice(0, found + 1));
			if (found !== -1) {
				return;
			}
		} else if (event.type === 'mark') {
			yield [counted.mark(event.mark)];
		} else {
			const {state} = event;
			const isOver = state.name === 'ended' || state.name === 'login';
			if (isOver && !wasAnswered) {
				throw state.error;
			}

			const items = stateItems(state, before, clock.now());
			if (isOver && (state.error.code !== 'not-found' || exitStatus || last)) {
				// The error has the message and the hint.
				yield items.map(item => ({...item, text: ''}));
				throw state.error;
			}

			yield items;

			before = state.name;
			wasAnswered ||= state.name === 'live' || state.name === 'gap';
		}
	}
}

type Counter = {
	readonly lines: (lines: readonly string[]) => ReadonlyArray<StreamItem & {readonly data: Json}>;
	readonly mark: (mark: Mark) => StreamItem;
	/** Returns a last line without an end, '' once it ended or if it is hidden. */
	readonly open: (text: string) => StreamItem;
};

/** Creates the items to show for lines. Numbers all of them, hidden ones too, so that a number means the same with any filter. */
export function createLineCounter(filter: Filter): Counter {
	let seq = 0;
	return {
		lines(texts) {
			const lines = texts.map(text => ({seq: ++seq, text, level: levelOf(text)}));
			const shows = filter.shows(lines);
			return lines
				.filter((_, index) => shows[index])
				.map(({seq: number, text, level}) => ({
					kind: 'line',
					text,
					data: {type: 'line', seq: number, text: text.replace(/\r$/, ''), level: level ?? null},
				}));
		},
		open(text) {
			const [isShown] = filter.shows([{text, level: levelOf(text)}]);
			return {kind: 'open', text: isShown ? text : ''};
		},
		mark: mark => ({kind: 'note', text: markText[mark], data: {type: mark, seq}}),
	};
}

/** Returns the text of a state: none if the lines show it, and none for a state that continues. */
function stateItems(state: TailState, before: TailState['name'], now: number): readonly StreamItem[] {
	const text = describeState(state, now);
	switch (state.name) {
		case 'reconnecting':
			return [{kind: 'state', text: `${text}: ${state.error.message}`, data: reconnecting(state, now)}];
		case 'ended':
			return [{kind: 'state', text, data: ended(state.why, state.error)}];
		case 'login':
			return [{kind: 'state', text: '', data: ended('login needed', state.error)}];
		case 'live':
			return before === 'gap' ? [] : [{kind: 'state', text}];
		case 'stale':
			return [{kind: 'state', text}];
		default:
			return [];
	}
}

function reconnecting({attempt, retryAt, error}: Extract<TailState, {name: 'reconnecting'}>, now: number): Json {
	return {type: 'reconnecting', attempt, wait_ms: Math.max(0, Math.round(retryAt - now)), reason: error.message};
}

function ended(why: string, {code}: AppError): Json {
	return {type: 'ended', why, code};
}
