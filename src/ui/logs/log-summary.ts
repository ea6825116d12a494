import {formatAmount, formatDuration} from '../../core/format.ts';
import type {OpenLog} from '../../store/logs-slice.ts';
import {safeLine} from '../../terminal/text/safe-text.ts';

/** Returns a summary such as `web-shop: 1,234 lines, 2 gaps, 4 m 00 s`. `now` is in milliseconds since the epoch. */
export function summaryOf(
	{title, lines, gaps, openedAt}: Pick<OpenLog, 'title' | 'lines' | 'gaps' | 'openedAt'>,
	now: number,
): string {
	const parts = [
		formatAmount(lines, 'line'),
		...(gaps > 0 ? [formatAmount(gaps, 'gap')] : []),
		formatDuration(now - openedAt),
	];
	return `${safeLine(title)}: ${parts.join(', ')}`;
}
