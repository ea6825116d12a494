import {formatAmount, formatDuration} from '../../core/format.ts';
import type {LogToFollow} from '../../logs/log-to-follow.ts';
import type {OpenLog} from '../../store/logs-slice.ts';
import {safeLine} from '../../terminal/text/safe-text.ts';

/** Shows logs: beside the conversation on a screen, line by line without one. */
export type LogDisplay = {
	/** Starts to show a log. Resolves when the command that opened it is done. */
	readonly follow: (log: LogToFollow, signal: AbortSignal) => Promise<void> | void;
	/** Stops following a log. Returns a summary on one line, '' if it is not open. */
	readonly close: (environment: string) => string;
	/** Closes all logs. Returns their summaries. */
	readonly closeAll: () => readonly string[];
};

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
