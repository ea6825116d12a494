import {formatDuration} from '../core/format.ts';
import type {Interaction} from '../platform/interaction.ts';
import type {About, BrowserLogin} from '../store/view-slice.ts';
import {createLineChoose, type Lines} from './picker/picker-lines.ts';

/** Creates what the interactions without a screen share: they print whole lines, and read one at a time. */
export function createLineInteraction(lines: Lines): Pick<Interaction, 'choose' | 'say' | 'showLogin'> {
	const {say} = lines;
	return {
		say,
		choose: createLineChoose(lines),
		showLogin(login) {
			for (const line of loginLines(login, Date.now())) {
				say(line);
			}

			return () => undefined;
		},
	};
}

/** Returns what the user should know before a question. */
export function aboutLines({title, facts}: About): readonly string[] {
	return [...(title === undefined ? [] : [title]), ...facts.map(([label, value]) => `${label}: ${value}`)];
}

/** Returns what the user reads while they log in through a browser. Page and code have a line each, to be copied. */
function loginLines({server, page, code, expiresAt}: BrowserLogin, now: number): readonly string[] {
	const intro = [`To log in to ${server}, open this page:`, page];
	if (!code) {
		return [...intro, `You have ${formatDuration(expiresAt - now)}. Press Ctrl+C to cancel.`];
	}

	return [
		...intro,
		`and type this code there, within ${formatDuration(expiresAt - now)}:`,
		code,
		'Press Ctrl+C to cancel.',
	];
}
