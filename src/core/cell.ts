import {formatAge} from './format.ts';

/** The content of a table cell: text, a time as ISO 8601 that is formatted for the reader, or an id that any prefix stands for. */
export type Cell = string | {readonly at: string} | {readonly id: string};

type Options = {
	/** Shows the time itself instead of its age, and the whole id. */
	readonly exact: boolean;
	/** The current time in milliseconds since 1970. */
	readonly now?: number;
};

const shortId = 8;

/**
 * Returns a cell as text: `3 h ago`, or `2026-11-21T08:00:00Z` if `exact`; eight characters of an id, or all of it. An
 * invalid time is shown as the server sent it.
 */
export function cellText(cell: Cell, {exact, now = Date.now()}: Options): string {
	if (typeof cell === 'string') {
		return cell;
	}

	if ('id' in cell) {
		return exact ? cell.id : cell.id.slice(0, shortId);
	}

	const at = Date.parse(cell.at);
	if (Number.isNaN(at)) {
		return cell.at;
	}

	return exact ? `${new Date(at).toISOString().slice(0, -5)}Z` : formatAge(cell.at, now);
}

/** Returns the time of a cell in milliseconds since 1970, or undefined for text. */
export function cellTime(cell: Cell): number | undefined {
	const at = typeof cell === 'object' && 'at' in cell ? Date.parse(cell.at) : Number.NaN;
	return Number.isNaN(at) ? undefined : at;
}
