import type {Environment} from '../core/environment.ts';

/** How a terminal shows a desktop notification; `bell` for one that can't, or isn't known to. */
export type NoticeWay = 'osc-9' | 'osc-99' | 'osc-777' | 'bell';

/** What a terminal can do to get the attention of a user who looks elsewhere. */
export type TerminalKind = {
	readonly name: string;
	readonly notice: NoticeWay;
	/** True if some versions of it show no notification: the bell rings as well. */
	readonly rings?: true;
	/** True if it shows progress (OSC 9;4). Others may show that sequence as a notification. */
	readonly progress?: true;
	/** True if it reads the status of programs (OSC 7501). */
	readonly status?: true;
	/** True if it is certain to report its focus (mode 1004) once it is asked to. */
	readonly focus?: true;
};

type Row = TerminalKind & {
	/** Its own type: a terminal always sets it, so that no variable of another one counts beside it. */
	readonly term?: RegExp;
	/** True if other variables name it. */
	readonly is?: (env: Environment) => boolean;
};

/** Feature letters are capital, each with its small letters and digits (iTerm2, feature reporting). `P` is progress. */
const reportsProgress = ({TERM_FEATURES = ''}: Environment) => /P(?![a-z])/.test(TERM_FEATURES);

const isIterm = (env: Environment) => env['TERM_PROGRAM'] === 'iTerm.app' || env['LC_TERMINAL'] === 'iTerm2';

/**
 * The terminals that are known, the most specific first. In a multiplexer and over SSH some variables of the terminal are
 * left; a shell in an editor has those of the terminal that the editor was started from.
 */
export const knownTerminals: readonly Row[] = [
	{
		// It shows progress since 1.97, and OSC 99 since 1.110; its relatives ignore what they don't know.
		name: 'VS Code',
		notice: 'osc-99',
		rings: true,
		progress: true,
		focus: true,
		is: env => env['TERM_PROGRAM'] === 'vscode',
	},
	{name: 'Terminal', notice: 'bell', focus: true, is: env => env['TERM_PROGRAM'] === 'Apple_Terminal'},
	{
		// So do those that are built on it, under its name.
		name: 'Ghostty',
		notice: 'osc-9',
		progress: true,
		status: true,
		focus: true,
		term: /^xterm-ghostty$/,
		is: env => env['TERM_PROGRAM'] === 'ghostty' || Boolean(env['GHOSTTY_RESOURCES_DIR']),
	},
	{
		name: 'WezTerm',
		notice: 'osc-9',
		progress: true,
		focus: true,
		term: /^wezterm$/,
		is: env => env['TERM_PROGRAM'] === 'WezTerm' || Boolean(env['WEZTERM_PANE']),
	},
	{
		name: 'kitty',
		notice: 'osc-99',
		focus: true,
		term: /^xterm-kitty$/,
		is: env => Boolean(env['KITTY_WINDOW_ID']),
	},
	{name: 'iTerm2 3.6.6', notice: 'osc-9', progress: true, focus: true, is: env => isIterm(env) && reportsProgress(env)},
	{name: 'iTerm2', notice: 'osc-9', focus: true, is: isIterm},
	{name: 'foot', notice: 'osc-777', focus: true, term: /^foot(?:-|$)/},
	{name: 'rxvt', notice: 'osc-777', rings: true, term: /^rxvt-unicode/},
	{
		name: 'Ptyxis',
		notice: 'osc-777',
		rings: true,
		progress: true,
		focus: true,
		is: ({PTYXIS_VERSION = ''}) => Number.parseInt(PTYXIS_VERSION, 10) >= 48,
	},
	{
		// Only some distributions build it with OSC 777. GNOME Terminal and Console show its progress.
		name: 'VTE 0.80',
		notice: 'osc-777',
		rings: true,
		progress: true,
		focus: true,
		is: ({VTE_VERSION = ''}) => Number(VTE_VERSION) >= 8000,
	},
	{name: 'VTE', notice: 'osc-777', rings: true, focus: true, is: env => Boolean(env['VTE_VERSION'])},
	{name: 'ConEmu', notice: 'bell', progress: true, is: env => env['ConEmuANSI'] === 'ON'},
	{
		// Its versions of 2026 show OSC 777, if the user allows it.
		name: 'Windows Terminal',
		notice: 'osc-777',
		rings: true,
		progress: true,
		focus: true,
		is: env => Boolean(env['WT_SESSION']),
	},
	{
		name: 'Konsole 22.12',
		notice: 'osc-777',
		focus: true,
		is: ({KONSOLE_VERSION = ''}) => Number(KONSOLE_VERSION) >= 22_12_00,
	},
	{name: 'Konsole', notice: 'bell', focus: true, is: env => Boolean(env['KONSOLE_VERSION'])},
	{
		name: 'Alacritty',
		notice: 'bell',
		focus: true,
		term: /^alacritty/,
		is: env => Boolean(env['ALACRITTY_WINDOW_ID']),
	},
];

/** Returns what is known about the terminal that these variables describe. */
export function terminalKind(env: Environment): TerminalKind {
	const multiplexed = multiplexerOf(env);
	const kind = knownTerminals.find(({term}) => term?.test(env['TERM'] ?? '')) ??
		knownTerminals.find(({is}) => is?.(env)) ?? {name: 'unknown', notice: 'bell'};
	// Progress of a pane would stay in the terminal after a detach, and a multiplexer may not pass focus on.
	return multiplexed ? {name: kind.name, notice: multiplexed === 'tmux' ? kind.notice : 'bell', rings: true} : kind;
}

/** Returns the multiplexer between us and the terminal. */
export function multiplexerOf({TMUX, STY, TERM = ''}: Environment): 'tmux' | 'screen' | undefined {
	return TMUX || TERM.startsWith('tmux') ? 'tmux' : STY || TERM.startsWith('screen') ? 'screen' : undefined;
}

const withLinks = [
	'VS Code',
	'Ghostty',
	'WezTerm',
	'kitty',
	'iTerm2 3.6.6',
	'iTerm2',
	'foot',
	'Ptyxis',
	'VTE 0.80',
	'VTE',
	'Windows Terminal',
	'Konsole 22.12',
	'Konsole',
	'Alacritty',
];

/** True for a terminal that is known to understand hyperlinks (OSC 8). tmux passes them on, or ignores them. */
export function showsLinks(env: Environment): boolean {
	return multiplexerOf(env) !== 'screen' && withLinks.includes(terminalKind(env).name);
}

/** Terminals that are known to read, or to ignore, titles and modes of xterm. Others print them, such as old consoles. */
const likeXterm =
	/^(?:xterm|tmux|screen|rxvt|vte|gnome|konsole|kitty|foot|alacritty|wezterm|ghostty|contour|mintty|iterm2?|st|ms-terminal|putty)(?:-|$)/;

/** Types that obey escape codes, and may ignore titles and modes of xterm or print them. */
const obedient =
	/^(?:linux|vt\d|ansi|eterm|Eterm|aterm|cygwin|cons25|dtterm|fbterm|mlterm|nsterm|pcansi|sun|teraterm|wsvt25)/;

/** True if nothing says whether the terminal obeys escape codes: its type is one that nobody knows. */
export function isStranger(env: Environment): boolean {
	const {TERM} = env;
	return Boolean(TERM) && !isLikeXterm(env) && !obedient.test(TERM ?? '') && terminalKind(env).name === 'unknown';
}

/** True for a terminal whose title we may set, and which we may ask to report its focus. */
export function isLikeXterm({TERM = ''}: Environment): boolean {
	return likeXterm.test(TERM);
}
