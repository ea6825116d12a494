import type {Environment} from '../../../src/core/environment.ts';

/** A terminal of the contract: what it says about itself, and what it does with rows in a narrower window. */
export type TerminalKind = {
	readonly name: string;
	readonly env: Environment;
	/** Its answer to the question for its version (DA2); none for a terminal that does not know the question. */
	readonly version: string | undefined;
	/** True if it wraps rows again that are wider than a narrower window; others cut them. */
	readonly reflows: boolean;
	/** True if it keeps the rows below the cursor in a smaller window, and the cursor in its row of the window. */
	readonly keepsBelow?: true;
	/** True if it blanks the rows from the mark of a prompt down when it is resized, and pulls rows down on request. */
	readonly blanksMarked?: true;
	/** True if a row that is erased and written again still continues the row before it. */
	readonly joinsRows?: true;
	/** True if it moves rows of the scrollback down into a higher window; others leave them above. */
	readonly pullsDown: boolean;
};

const utf8 = {LANG: 'en_US.UTF-8', NO_COLOR: ''};

/** Terminals as their source or documentation has them: xterm 390, VTE 0.72, kitty 0.33, tmux 3.3, GNU Screen 4.9. */
export const kinds = {
	xterm: {name: 'xterm', env: {...utf8, TERM: 'xterm-256color'}, version: '41;390;0', reflows: false, pullsDown: true},
	vte: {
		name: 'VTE',
		env: {...utf8, TERM: 'xterm-256color', VTE_VERSION: '7200'},
		version: '65;7200;1',
		reflows: true,
		joinsRows: true,
		pullsDown: true,
	},
	kitty: {
		name: 'kitty',
		env: {...utf8, TERM: 'xterm-kitty'},
		version: '1;4000;33',
		reflows: true,
		keepsBelow: true,
		blanksMarked: true,
		pullsDown: false,
	},
	tmux: {
		name: 'tmux',
		env: {...utf8, TERM: 'tmux-256color', TMUX: '/tmp/tmux,1,0'},
		version: '84;0;0',
		reflows: true,
		pullsDown: true,
	},
	screen: {
		name: 'screen',
		env: {...utf8, TERM: 'screen.xterm-256color'},
		version: '83;40900;0',
		reflows: false,
		pullsDown: true,
	},
} as const satisfies Readonly<Record<string, TerminalKind>>;
