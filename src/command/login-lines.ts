import {formatDuration} from '../core/format.ts';
import type {BrowserLogin} from '../store/view-slice.ts';

/** Returns what the user reads while they log in through a browser; the page and the code have a line each, to be copied. */
export function loginLines({server, page, code, expiresAt}: BrowserLogin, now: number): readonly string[] {
	return [
		`To log in to ${server}, open this page:`,
		page,
		`and type this code there, within ${formatDuration(expiresAt - now)}:`,
		code,
		'Press Ctrl+C to cancel.',
	];
}
