import {lastState} from '../logs/line-state.ts';
import {detached} from '../logs/log-buffer.ts';

type Match = {readonly seq: number; readonly text: string};

/** What matched since the last report. */
export type Matches = {
	readonly count: number;
	/** The first and the last ones, numbered from the line at which the watch began. */
	readonly lines: readonly Match[];
	/** True if lines may be missing among those that were examined. */
	readonly mayMiss: boolean;
};

/** Counts matches and keeps the first and the last ones. */
export type MatchCollector = {
	readonly count: () => number;
	/** Adds the lines that matched. `firstSeq` is the number of the first line. */
	readonly add: (lines: readonly string[], isMatch: readonly boolean[], firstSeq: number) => void;
	/** Notes that lines may be missing. */
	readonly markMissing: () => void;
	/** Returns the matches and starts over. */
	readonly take: () => Matches;
};

/** Lines kept at the beginning of a report, and at its end. */
const keptLines = 10;

/** Longer lines are cut. */
const maxCharacters = 8000;

export function createMatchCollector(): MatchCollector {
	let count = 0;
	let first: Match[] = [];
	let last: Match[] = [];
	let mayMiss = false;
	return {
		count: () => count,
		add(lines, isMatch, firstSeq) {
			for (const [index, line] of lines.entries()) {
				if (!isMatch[index]) {
					continue;
				}

				count++;
				const kept = first.length < keptLines ? first : last;
				kept.push({seq: firstSeq + index, text: detached(lastState(line).slice(0, maxCharacters))});
				if (last.length > keptLines) {
					last.shift();
				}
			}
		},
		markMissing() {
			mayMiss = true;
		},
		take() {
			const matches = {count, lines: [...first, ...last], mayMiss};
			count = 0;
			first = [];
			last = [];
			mayMiss = false;
			return matches;
		},
	};
}
