import {AppError} from '../core/error.ts';
import {isAtLeast, type Level, levelOf, readLeastLevel} from '../logs/levels.ts';
import {createMatcher} from '../logs/matcher.ts';

/** What a watch looks for. */
export type Condition = {
	/** As it was typed. */
	readonly text: string;
	/** Which of the lines fulfil it. Throws `usage` as `Matcher` does. */
	readonly match: (lines: readonly string[]) => readonly boolean[];
};

/**
 * Reads a condition: a regular expression, `level>=error`, or both as `expression|level>=error`, of which one is enough.
 * Unlike in a filter, a line of unknown level fulfils no level. Throws `usage` for what cannot be read.
 */
export function readCondition(text: string): Condition {
	const [, before, bound = ''] = /^(?:([\s\S]*)\|)?(level>=\S*)$/i.exec(text.trim()) ?? [];
	const least = readLeastLevel(bound);
	const pattern = least === undefined ? text : before;
	if (pattern !== undefined && pattern.trim() === '') {
		throw new AppError('usage', 'The condition is empty.', {hint: 'Type a regular expression or level>=error.'});
	}

	const matcher = pattern === undefined ? undefined : createMatcher(pattern);
	return {
		text,
		match(lines) {
			const matched = matcher?.match(lines);
			return lines.map((line, index) => matched?.[index] === true || (least !== undefined && reaches(line, least)));
		},
	};
}

function reaches(line: string, least: Level): boolean {
	const level = levelOf(line);
	return level !== undefined && isAtLeast(level, least);
}

const units: Readonly<Record<string, number>> = {s: 1000, m: 60_000, h: 3_600_000};
const shortest = 5000;
const longest = 24 * 3_600_000;

/** Reads `30s`, `1m`, `2h` as milliseconds. Throws `usage` for anything else, and for less than 5 s or more than a day. */
export function readInterval(flag: string, text: string): number {
	const [, count, unit = ''] = /^(\d{1,6})([smh])$/.exec(text) ?? [];
	const milliseconds = Number(count) * (units[unit] ?? Number.NaN);
	if (!(milliseconds >= shortest && milliseconds <= longest)) {
		throw new AppError('usage', `--${flag} takes a time between 5s and 24h, not “${text}”.`, {
			hint: 'Write it as 30s, 1m or 2h.',
		});
	}

	return milliseconds;
}

/** `30 s`, `1 min`, `2 h`: an interval as it was given, in whole units. */
export function intervalText(milliseconds: number): string {
	const seconds = Math.round(milliseconds / 1000);
	if (seconds % 3600 === 0) {
		return `${seconds / 3600} h`;
	}

	return seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`;
}
