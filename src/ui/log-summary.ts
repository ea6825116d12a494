import {formatDuration, formatNumber} from '../core/format.ts';
import type {OpenLog} from '../store/logs-slice.ts';
import {safeLine} from '../terminal/safe-text.ts';

/** What came of a log, as `web-shop: 1,234 lines, 2 gaps, 4 m 00 s`. `now` is in milliseconds since the epoch. */
export function summaryOf(
	{title, lines, gaps, openedAt}: Pick<OpenLog, 'title' | 'lines' | 'gaps' | 'openedAt'>,
	now: number,
): string {
	const parts = [counted(lines, 'line'), ...(gaps > 0 ? [counted(gaps, 'gap')] : []), formatDuration(now - openedAt)];
	return `${safeLine(title)}: ${parts.join(', ')}`;
}

/** `1,234 lines`, `1 gap`. */
export function counted(count: number, what: string): string {
	return `${formatNumber(count)} ${what}${count === 1 ? '' : 's'}`;
}
