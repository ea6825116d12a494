import {marked, plainRole, type Role, sgr} from './role.ts';
import {textWidth} from './width.ts';

/** What a token of source code is. */
export const syntaxRoles = [
	'keyword',
	'string',
	'number',
	'literal',
	'comment',
	'function',
	'type',
	'variable',
	'attribute',
	'tag',
	'meta',
	'addition',
	'deletion',
] as const;
export type SyntaxRole = (typeof syntaxRoles)[number];

/** Levels of a log line, from the least severe. */
const levelRoles = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;

/** What a line across the screen begins. */
type RuleWeight = 'pane' | 'question' | 'prompt';

/** The meaning of text, by role. The table below decides which ink each has, and a scheme the colours of the inks. */
export type Palette = {
	/** True if there is colour at all, for text with its own colours. */
	readonly color: boolean;
	/** True for a screen reader: words stand for signs, and neither lines nor columns are drawn. */
	readonly spoken: boolean;
	/** True if the terminal understands hyperlinks (OSC 8). */
	readonly links?: boolean;
	/** Colours of other programs that can't be told from the background, of the 16. */
	readonly unreadable?: ReadonlySet<number> | undefined;
	/** `level` is 1 to 6. */
	readonly heading: (text: string, level: number) => string;
	readonly emphasis: Role;
	readonly strong: Role;
	readonly strikethrough: Role;
	/** The name of a column or a value. */
	readonly label: Role;
	/** Code within a sentence. */
	readonly code: Role;
	readonly link: Role;
	readonly quote: Role;
	/** What the user has written: nothing else in a conversation is bold and in the accent. */
	readonly user: Role;
	readonly dim: Role;
	readonly accent: Role;
	/** Returns a line across so many cells. */
	readonly rule: (weight: RuleWeight, cells: number) => string;
	/** What a key would act on now. A sign before it says it too. */
	readonly selected: Role;
	/** The text must say it too: colour is never the only cue. */
	readonly success: Role;
	readonly warning: Role;
	readonly danger: Role;
	/** Lines of a diff. A sign before the line says it too. */
	readonly added: Role;
	readonly removed: Role;
	/** The words of a line that differ from those in another. The line must say it too. */
	readonly mark: Role;
	/** What a search found. */
	readonly found: Role;
	/** Text that the user has selected. It is inverse without colour, too: nothing else shows a selection. */
	readonly selection: Role;
	readonly level: Readonly<Record<(typeof levelRoles)[number], Role>>;
	/** Colours that tell several logs apart, none of them that of an error. */
	readonly series: readonly Role[];
	/** Text that the user wants highlighted, one for each pattern. */
	readonly highlights: readonly Role[];
	readonly syntax: Readonly<Record<SyntaxRole, Role>>;
};

/** What text is written with. */
const inks = ['accent', 'muted', 'good', 'caution', 'bad', 'violet', 'blue', 'cyan', 'green', 'amber'] as const;
export type Ink = (typeof inks)[number];

/** The parameters of the SGR sequence of each ink, such as `35` or `38;2;210;166;255`; '' for ordinary text. */
export type Scheme = Readonly<Record<Ink, string>> & {
	/** Further inks of logs, beyond the named ones. */
	readonly moreSeries?: readonly string[];
	/** Which of the terminal's own 16 colours can't be told from its background. */
	readonly unreadable?: ReadonlySet<number>;
};

/** The terminal's own 16 colours, which the user has chosen. */
export const terminalScheme: Scheme = {
	accent: '35',
	muted: '2',
	good: '32',
	caution: '33',
	bad: '31',
	violet: '35',
	blue: '34',
	cyan: '36',
	green: '32',
	amber: '33',
	moreSeries: ['96', '92', '93', '95', '94'],
};

const bold = '1';
const italic = '3';
const underline = '4';
const inverse = '7';
const struck = '9';

/** How a role looks: attributes of SGR, and an ink. */
type Look = readonly [attributes: string, ink?: Ink];

const looks = {
	emphasis: [italic],
	strong: [bold],
	strikethrough: [struck],
	label: [bold],
	code: ['', 'cyan'],
	link: [underline, 'cyan'],
	quote: ['', 'muted'],
	user: [bold, 'accent'],
	dim: ['', 'muted'],
	accent: ['', 'accent'],
	selected: [bold],
	success: ['', 'good'],
	warning: ['', 'caution'],
	danger: ['', 'bad'],
	added: ['', 'good'],
	removed: ['', 'bad'],
	mark: [inverse],
	found: [inverse],
	selection: [inverse],
} as const satisfies Partial<Record<keyof Palette, Look>>;

/**
 * The lines that begin the parts of the screen, in three weights: broken for what is only shown, heavy for what gets the keys, and
 * light for the prompt, which is always there. The sign says which it is without colour, and its form in ASCII (`.`, `=`, `-`) does.
 */
const rules: Readonly<Record<RuleWeight, {readonly sign: string; readonly look: Look}>> = {
	/** The log panel, and results beside a run. */
	pane: {sign: '┄', look: ['', 'muted']},
	/** Questions, approvals, pickers, and lists to choose from. */
	question: {sign: '━', look: ['', 'accent']},
	prompt: {sign: '─', look: ['', 'muted']},
};

/** Returns what draws lines in their colours. */
function drawRules(role: (look: Look) => Role): Palette['rule'] {
	return (weight, cells) => {
		const {sign, look} = rules[weight];
		return role(look)(sign.repeat(Math.max(0, Math.floor(cells / textWidth(sign)))));
	};
}

const levelLooks: Readonly<Record<(typeof levelRoles)[number], Look>> = {
	trace: ['', 'muted'],
	debug: ['', 'muted'],
	info: [''],
	warn: ['', 'caution'],
	error: ['', 'bad'],
	fatal: [bold, 'bad'],
};

const syntaxLooks: Readonly<Record<SyntaxRole, Look>> = {
	keyword: ['', 'violet'],
	string: ['', 'green'],
	number: ['', 'amber'],
	literal: ['', 'amber'],
	comment: ['', 'muted'],
	function: ['', 'blue'],
	type: ['', 'cyan'],
	variable: [''],
	attribute: ['', 'cyan'],
	tag: ['', 'blue'],
	meta: ['', 'muted'],
	addition: ['', 'good'],
	deletion: ['', 'bad'],
};

const headingLooks: readonly Look[] = [[`${bold};${underline}`], [bold]];
const deepHeadingLook: Look = [`${bold};${italic}`];
const seriesInks: readonly Ink[] = ['cyan', 'green', 'amber', 'violet', 'blue'];
const highlightInks: readonly Ink[] = ['amber', 'cyan', 'green', 'violet', 'blue'];

/** Returns text that is dark on light whatever the colours of the terminal are, as a camera wants it. */
export const darkOnLight = (text: string) => `\u001b[30;107m${text}\u001b[39;49m`;

/**
 * Returns the roles in the colours of a scheme, at first the terminal's own 16. With `color` false there are no escape
 * sequences, and marks replace the styles that carry meaning: `# heading`, `*emphasis*`, `**strong**`, `~~struck~~` and
 * `` `code` ``. One that is spoken has neither: a screen reader says marks, and stops where a colour changes.
 */
export function createPalette({color, scheme, spoken = false, links = false}: Options): Palette {
	const silent = spoken ? {...unstyled, ...heard} : unstyled;
	return {...(color && !spoken ? coloredIn(scheme ?? terminalScheme) : silent), links};
}

type Options = {readonly color: boolean; readonly scheme?: Scheme; readonly spoken?: boolean; readonly links?: boolean};

/** Changes the colours of a palette in each place that uses it. One without colour stays as it is. */
export function recolor(palette: Palette, scheme: Scheme): void {
	if (palette.color) {
		Object.assign(palette, coloredIn(scheme));
	}
}

function coloredIn(scheme: Scheme): Palette {
	const role = ([attributes, ink]: Look): Role =>
		sgr([attributes, ink === undefined ? '' : scheme[ink]].filter(Boolean).join(';'));
	const headings = headingLooks.map(role);
	const deepHeading = role(deepHeadingLook);
	return {
		color: true,
		spoken: false,
		unreadable: scheme.unreadable,
		heading: (text, level) => (headings[level - 1] ?? deepHeading)(text),
		...mapRoles(looks, role),
		rule: drawRules(role),
		level: mapRoles(levelLooks, role),
		series: [...seriesInks.map(ink => role(['', ink])), ...(scheme.moreSeries ?? []).map(sgr)],
		highlights: highlightInks.map(ink => role([`${bold};${underline}`, ink])),
		syntax: mapRoles(syntaxLooks, role),
	};
}

function mapRoles<Name extends string>(
	table: Readonly<Record<Name, Look>>,
	role: (look: Look) => Role,
): Readonly<Record<Name, Role>> {
	return Object.fromEntries(Object.entries<Look>(table).map(([name, look]) => [name, role(look)])) as Record<
		Name,
		Role
	>;
}

const unstyled: Palette = {
	color: false,
	spoken: false,
	heading: (text, level) => `${'#'.repeat(level)} ${text}`,
	...mapRoles(looks, () => plainRole),
	rule: drawRules(() => plainRole),
	emphasis: marked('*'),
	strong: marked('**'),
	strikethrough: marked('~~'),
	code: marked('`'),
	selection: sgr(inverse),
	level: mapRoles(levelLooks, () => plainRole),
	series: [plainRole],
	highlights: [plainRole],
	syntax: mapRoles(syntaxLooks, () => plainRole),
};

/** What differs in a palette that is spoken: words stand for what a listener must know, and nothing for the rest. */
const heard = {
	spoken: true,
	heading: (text, level) => `Heading ${level}: ${text}`,
	emphasis: plainRole,
	strong: plainRole,
	strikethrough: text => `deleted: ${text}`,
	code: plainRole,
	selection: plainRole,
} as const satisfies Partial<Palette>;
