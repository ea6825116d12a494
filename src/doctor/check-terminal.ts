import type {Environment} from '../core/environment.ts';
import {wantsColor, wantsLinear} from '../terminal/abilities.ts';
import {type Check, fault, good, note} from './check.ts';

export type TerminalFacts = {
	readonly isTTY: boolean;
	readonly columns: number | undefined;
	readonly rows: number | undefined;
};

/** The least window in which everything is drawn. */
const least = {columns: 20, rows: 5};

/** Checks what the program draws on: type, size, colour, and the encoding of text. */
export function checkTerminal(env: Environment, {isTTY, columns = 0, rows = 0}: TerminalFacts): readonly Check[] {
	return [isTTY ? window(env, columns, rows) : note('Terminal', 'Output goes to a file or a pipe.'), encoding(env)];
}

function window(env: Environment, columns: number, rows: number): Check {
	const {TERM = '', TERM_PROGRAM, TMUX, SSH_CONNECTION, COLORTERM} = env;
	const color = wantsColor({isTTY: true}, env) ? (COLORTERM ? 'full colour' : '16 colours') : 'no colour';
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

	return TERM ? good('Terminal', finding) : fault('Terminal', finding, 'Set TERM, such as TERM=xterm-256color.');
}

/** POSIX: the first of these that isn't empty decides. */
function encoding({LC_ALL, LC_CTYPE, LANG}: Environment): Check {
	const locale = LC_ALL || LC_CTYPE || LANG || '';
	if (/utf-?8/i.test(locale)) {
		return good('Text', `UTF-8 (${locale}).`);
	}

	return locale
		? fault('Text', `The locale ${locale} isn't UTF-8; other programs may garble text.`, 'Set LANG=C.UTF-8.')
		: note('Text', 'No locale is set; service writes UTF-8.', 'Set LANG=C.UTF-8 so that other programs do too.');
}
