import {hintLines} from '../../command/render/hint-lines.ts';
import {safeText} from '../../terminal/text/safe-text.ts';
import {signOf} from '../../terminal/text/signs.ts';
import type {Palette} from '../../terminal/text/style.ts';
import {wrapLine} from '../../terminal/text/wrap.ts';

/**
 * Returns the lines of a text after a sign, and of its hint. The sign has the colour of what it means; the text, too, only if
 * it is an error or is dim.
 */
export function messageLines(
	sign: string,
	role: (text: string) => string,
	text: string,
	hint: string | undefined,
	{width, palette}: {readonly width: number; readonly palette: Palette},
): readonly string[] {
	const isColored = role === palette.danger || role === palette.dim;
	return [
		...wrapLine(isColored ? role(safeText(text)) : safeText(text), width, {
			first: role(signOf(sign, palette)),
			rest: '  ',
		}),
		...(hint ? hintLines(hint, {width, palette, place: 'app', first: `  ${signOf('→', palette)}`, rest: '    '}) : []),
	];
}
