import {formatClock} from '../../core/format.ts';
import type {Level} from '../../logs/levels.ts';
import type {StructuredLine} from '../../logs/structured.ts';
import type {Role} from '../../terminal/text/role.ts';
import {safeLine} from '../../terminal/text/safe-text.ts';
import type {Span} from '../../terminal/text/sgr.ts';
import type {Palette} from '../../terminal/text/style.ts';
import {padEnd} from '../../terminal/text/width.ts';

/** Cells of a level, so that messages are aligned. */
const levelWidth = 5;

/** Returns time, level and message of a line, then its other fields, dimmed. */
export function structuredSpans(
	{time, level, message, fields}: StructuredLine,
	known: Level | undefined,
	palette: Palette,
): readonly Span[] {
	const span = (text: string, role: Role): Span => ({text, style: {}, roles: [role]});
	const role = known ? palette.level[known] : palette.dim;
	const isFirst = message === '';
	return [
		...(time === undefined ? [] : [span(`${clockOf(time)} `, palette.dim)]),
		...(level === undefined ? [] : [span(`${padEnd(safeLine(level.toLowerCase()), levelWidth)} `, role)]),
		...(isFirst ? [] : [known && known !== 'info' ? span(folded(message), role) : plain(folded(message))]),
		...fields.map(([name, value], index) => {
			const text = `${isFirst && index === 0 ? '' : ' '}${safeLine(name)}${name === '…' ? '' : `=${quoted(value)}`}`;
			return isFirst ? plain(text) : span(text, palette.dim);
		}),
	];
}

const plain = (text: string): Span => ({text, style: {}});

/** Returns the time of day with milliseconds, in local time. */
function clockOf(time: number | string): string {
	if (typeof time === 'string') {
		return safeLine(time);
	}

	const milliseconds = Math.floor(((time % 1000) + 1000) % 1000);
	return `${formatClock(time)}.${String(milliseconds).padStart(3, '0')}`;
}

/** Returns the first line of a text, such as a stack trace, with the number of the others. */
function folded(text: string): string {
	const lines = text.trimEnd().split('\n');
	const more = lines.length - 1;
	return safeLine(lines[0] ?? '') + (more > 0 ? ` (+${more} ${more === 1 ? 'line' : 'lines'})` : '');
}

/** Returns a value as logfmt has it. An object or a list has quotes of its own. */
function quoted(value: string): string {
	const text = folded(value);
	const isJson = /^(?:\{.*\}|\[.*\])$/s.test(value);
	return !isJson && /[\s"=]|^$/.test(value) ? `"${text.replaceAll('"', '\\"')}"` : text;
}
