import {formatAge} from './format.ts';

/** The content of a table cell: text, or a time as ISO 8601 that is formatted for the reader. */
export type Cell = string | {readonly at: string};

type Options = {
	/** Shows the time itself instead of its age. */
	readonly exact: boolean;
	/** The current time in milliseconds since 1970. */
	readonly now?: number;
};

/**
 * Returns a cell as text: `3 h ago`, or `2026-11-21T08:00:00Z` if `exact`. An invalid time is shown as the server sent
 * it.
 */
export function cellText(cell: Cell, {exact, now = Date.now()}: Options): string {
	if (typeof cell === 'string') {
		return cell;
	}

	const at = Date.parse(cell.at);
	if (Number.isNaN(at)) {
		return cell.at;
	}

	return exact ? `${new Date(at).toISOString().slice(0, -5)}Z` : formatAge(cell.at, now);
}

/** Returns the time of a cell in milliseconds since 1970, or undefined for text. */
export function cellTime(cell: Cell): number | undefined {
	const at = typeof cell === 'string' ? Number.NaN : Date.parse(cell.at);
	return Number.isNaN(at) ? undefined : at;
}
