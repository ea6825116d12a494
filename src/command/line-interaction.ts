import {formatAmount, formatDuration} from '../core/format.ts';
import type {About, BrowserLogin} from '../core/question.ts';
import type {Interaction} from '../platform/interaction.ts';
import type {DrawingStyle, SubjectDrawing} from '../terminal/text/drawing.ts';
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

/** As many of the lines of a long drawing are from its end. */
const lastLines = 20;

/**
 * Returns the title and the lines of a drawing as they are printed with a question; of more than `maxLines` the first and the
 * last ones, and how many are left out between them.
 */
export function drawingLines(drawing: SubjectDrawing, style: DrawingStyle, maxLines: number) {
	const {shown} = drawing.window({...style, rows: Number.POSITIVE_INFINITY});
	const leftOut = Math.max(0, shown.length - maxLines);
	const firstLines = leftOut > 0 ? maxLines - lastLines : shown.length;
	const middle = leftOut > 0 ? [`⋯ ${formatAmount(leftOut, 'line')} ⋯`] : [];
	return {
		leftOut,
		lines: [drawing.title(style), ...shown.slice(0, firstLines), ...middle, ...shown.slice(firstLines + leftOut)],
	};
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
