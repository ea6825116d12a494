import {type CommandPlace, nameCommands} from '../../core/command-words.ts';
import {safeText} from '../../terminal/text/safe-text.ts';
import type {Palette} from '../../terminal/text/style.ts';
import {textWidth} from '../../terminal/text/width.ts';
import {wrapLine} from '../../terminal/text/wrap.ts';

/** A space at which no line is broken. */
const noBreakSpace = '\u00A0';

type Style = {
	readonly width: number;
	readonly palette: Palette;
	/** Where the user reads it. */
	readonly place: CommandPlace;
	/** Prefixes of the first and of all later lines. */
	readonly first?: string;
	readonly rest?: string;
};

/** Returns a hint as lines of at most `width` cells. A command that fits in one stays whole, to be copied. */
export function hintLines(hint: string, {width, palette, place, first = '', rest = ''}: Style): readonly string[] {
	const room = width - Math.max(textWidth(first), textWidth(rest));
	const named = nameCommands(hint, place, command =>
		textWidth(command) <= room ? command.replaceAll(' ', noBreakSpace) : command,
	);
	return wrapLine(palette.dim(safeText(named)), width, {
		first: palette.dim(first),
		rest,
	}).map(line => line.replaceAll(noBreakSpace, ' '));
}
