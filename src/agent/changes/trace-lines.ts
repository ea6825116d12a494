import {diffArrays} from 'diff';

/** Who wrote or removed a line. */
type Author = 'agent' | 'user';

/** A version of a text, and who made it of the one before. */
export type Version = {readonly text: string; readonly by: Author};

/** A line of the first or the last version, with its line end. */
export type TracedLine = {
	readonly text: string;
	/** `kept` is in both; `added` and `removed` say by whom. */
	readonly state: 'kept' | 'added' | 'removed';
	readonly by: Author;
};

type Line = {readonly text: string; readonly origin: Author | 'base'; readonly removedBy?: Author};

/** More differences are not sought: everything counts as replaced. */
const maxEdits = 2000;

/**
 * Returns who changed which line of a text: the agent or the user. `base` is the first version. A line that was changed and
 * changed back counts as kept; a line of the user that the agent removed counts as removed. If the user goes back to an
 * earlier version, its lines are again by whom they were.
 */
export function traceLines(base: string, versions: readonly Version[]): readonly TracedLine[] {
	let lines: readonly Line[] = linesOf(base).map(text => ({text, origin: 'base'}));
	const seen = new Map([[base, lines]]);
	for (const version of versions) {
		const {text, by} = version;
		lines = (by === 'user' ? seen.get(text) : undefined) ?? applyVersion(lines, version);
		seen.set(text, lines);
	}

	return foundAgain(lines).flatMap(toTraced);
}

/** Splits a text into lines that keep their ends. */
function linesOf(text: string): readonly string[] {
	return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function applyVersion(lines: readonly Line[], {text, by}: Version): readonly Line[] {
	const next: Line[] = [];
	let index = 0;
	/** Copies the following lines up to `count` that are there, and the removed ones before them. */
	const copy = (count: number, change: (line: Line) => Line) => {
		for (let left = count; left > 0 && index < lines.length; index++) {
			const line = lines[index];
			if (line) {
				next.push(line.removedBy === undefined ? change(line) : line);
				left -= line.removedBy === undefined ? 1 : 0;
			}
		}
	};

	const alive = lines.filter(({removedBy}) => removedBy === undefined).map(line => line.text);
	for (const part of differences(alive, linesOf(text))) {
		if (part.added) {
			next.push(...part.value.map((added): Line => ({text: added, origin: by})));
		} else {
			copy(part.value.length, line => (part.removed ? {...line, removedBy: by} : line));
		}
	}

	return [...next, ...lines.slice(index)];
}

function differences(before: readonly string[], after: readonly string[]) {
	return (
		diffArrays([...before], [...after], {maxEditLength: maxEdits}) ?? [
			{removed: true, added: false, value: [...before]},
			{removed: false, added: true, value: [...after]},
		]
	);
}

/** Keeps lines of the base that were removed and are there again, between two lines that were never touched. */
function foundAgain(lines: readonly Line[]): readonly Line[] {
	const result: Line[] = [];
	let run: Line[] = [];
	const endRun = () => {
		result.push(...matched(run));
		run = [];
	};

	for (const line of lines) {
		if (line.origin === 'base' && line.removedBy === undefined) {
			endRun();
			result.push(line);
		} else {
			run.push(line);
		}
	}

	endRun();
	return result;
}

function matched(run: readonly Line[]): readonly Line[] {
	const removed = run.filter(({origin}) => origin === 'base');
	const present = run.filter(({removedBy}) => removedBy === undefined);
	const texts = new Set(removed.map(({text}) => text));
	if (!present.some(({text}) => texts.has(text))) {
		return run;
	}

	const rest = run.filter(line => !removed.includes(line) && !present.includes(line));
	const [old, now] = [removed.values(), present.values()];
	const next = (lines: Iterator<Line>, count: number) =>
		Array.from({length: count}, () => lines.next().value as Line | undefined).filter(line => line !== undefined);
	const parts = differences(
		removed.map(({text}) => text),
		present.map(({text}) => text),
	);
	return [
		...rest,
		...parts.flatMap(({added, removed: isRemoved, value}): readonly Line[] => {
			if (added) {
				return next(now, value.length);
			}

			const lines = next(old, value.length);
			if (isRemoved) {
				return lines;
			}

			next(now, value.length);
			return lines.map(({text}) => ({text, origin: 'base'}));
		}),
	];
}

function toTraced({text, origin, removedBy}: Line): readonly TracedLine[] {
	if (removedBy === undefined) {
		return [origin === 'base' ? {text, state: 'kept', by: 'user'} : {text, state: 'added', by: origin}];
	}

	// What was added and removed again by the same side, or by the agent and then the user, is nowhere.
	const isGone = origin === 'agent' || (origin === 'user' && removedBy === 'user');
	return isGone ? [] : [{text, state: 'removed', by: removedBy}];
}
