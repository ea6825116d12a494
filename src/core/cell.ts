import {formatAge} from './format.ts';

/** What stands in a cell of a table: text, or a time as ISO 8601, which is told as a person wants it. */
export type Cell = string | {readonly at: string};

type Options = {
	/** True for the time itself instead of how long ago it was. */
	readonly exact: boolean;
	/** Milliseconds since 1970. */
	readonly now?: number;
};

/**
 * A cell as text: `3 h ago`, or `2026-11-21T08:00:00Z` where the time is wanted exactly. What is no time is shown as it
 * is, because it is what the server said.
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

/** The time in a cell in milliseconds since 1970; undefined where there is none. */
export function cellTime(cell: Cell): number | undefined {
	const at = typeof cell === 'string' ? Number.NaN : Date.parse(cell.at);
	return Number.isNaN(at) ? undefined : at;
}
