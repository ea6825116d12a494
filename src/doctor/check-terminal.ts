import type {Environment} from '../core/environment.ts';
import {charsetOf, insertsLines, localeOf, wantsColor, wantsLinear} from '../terminal/abilities.ts';
import {isLikeXterm} from '../terminal/attention/terminal-kind.ts';
import {colorDepth} from '../terminal/theme/color-depth.ts';
import {type Check, fault, good, note} from './check.ts';

export type TerminalFacts = {
	readonly isTTY: boolean;
	readonly columns: number | undefined;
	readonly rows: number | undefined;
};

/** The least window in which everything is drawn. */
const least = {columns: 20, rows: 5};

/** Checks what the program draws on: type, size, colour, and the encoding of text. `platform` is that of Node. */
export function checkTerminal(env: Environment, facts: TerminalFacts, platform: string): readonly Check[] {
	const {isTTY, columns = 0, rows = 0} = facts;
	const terminal = isTTY ? window(env, columns, rows) : note('Terminal', 'Output goes to a file or a pipe.');
	return [terminal, encoding(env, platform)];
}

function window(env: Environment, columns: number, rows: number): Check {
	const {TERM = '', TERM_PROGRAM, TMUX, SSH_CONNECTION} = env;
	const depth = colorDepth(env);
	const most = depth === 'rgb' ? 'full colour' : `${depth} colours`;
	const color = wantsColor({isTTY: true}, env) ? most : 'no colour';
	const where = [TMUX && 'in tmux', SSH_CONNECTION && 'over SSH'].filter(Boolean).join(' ');
	const type = [TERM || 'unknown type', TERM_PROGRAM].filter(Boolean).join(', ');
	const finding = `${type}, ${columns}x${rows}, ${color}${where && `, ${where}`}.`;
	if (columns < least.columns || rows < least.rows) {
		return fault('Terminal', finding, `Make the window at least ${least.columns}x${least.rows}.`);
	}

	if (wantsLinear(env)) {
		const fix = TERM === 'dumb' ? 'For the full screen set TERM, such as TERM=xterm-256color.' : undefined;
		return note('Terminal', `${finding} The app writes line by line.`, fix);
	}

	if (TERM && insertsLines(env) && !isLikeXterm(env) && !TERM.startsWith('linux')) {
		const limits = 'We don’t know this type: its window gets no title.';
		return note('Terminal', `${finding} ${limits}`, 'If it is like xterm, set TERM=xterm-256color.');
	}

	return TERM ? good('Terminal', finding) : fault('Terminal', finding, 'Set TERM, such as TERM=xterm-256color.');
}

/** How text is drawn, by the locale and the type of the terminal. */
function encoding(env: Environment, platform: string): Check {
	const {name, value: locale, isUtf8} = localeOf(env);
	const charset = charsetOf(env, platform);
	const fix = `Set ${name}=C.UTF-8.`;
	if (charset === 'ascii') {
		return fault('Text', `${name}=${locale} isn't UTF-8: signs are drawn in ASCII, other text as “?”.`, fix);
	}

	if (charset === 'no signs') {
		return locale && !isUtf8
			? fault('Text', `${name}=${locale} isn't UTF-8: signs are drawn in ASCII.`, fix)
			: note('Text', 'The font of this console lacks signs: they are drawn in ASCII.');
	}

	if (isUtf8) {
		return good('Text', `UTF-8 (${locale}).`);
	}

	return locale
		? fault('Text', `${name}=${locale} isn't UTF-8; other programs may garble text.`, fix)
		: note('Text', 'No locale is set; UTF-8 is written.', 'Set LANG=C.UTF-8 so that other programs do too.');
}
