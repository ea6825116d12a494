/** A way to make a terminal do what the text of somebody else should not be able to do. */
export type Trick = {readonly name: string; readonly bytes: string};

const st = '\u001b\\';

/**
 * The escape-sequence tricks that are publicly known (ECMA-48, xterm's ctlseqs, the kitty and iTerm2 protocols, UTS 39). Their
 * parameters are ones that the program itself never writes, so that its own sequences can't be taken for them.
 */
export const tricks: readonly Trick[] = [
	{name: 'OSC 52 write', bytes: '\u001b]52;c;cHduZWQ=\u0007'},
	{name: 'OSC 52 read', bytes: `\u001b]52;p;?${st}`},
	{name: 'OSC 0 title', bytes: '\u001b]0;pwned\u0007'},
	{name: 'OSC 2 title', bytes: `\u001b]2;pwned${st}`},
	{name: 'title report', bytes: '\u001b[21t'},
	{name: 'window resize', bytes: '\u001b[8;3;9t'},
	{name: 'OSC 4 palette', bytes: '\u001b]4;1;?\u0007'},
	{name: 'OSC 7 folder', bytes: '\u001b]7;file://evil/pwned\u0007'},
	{name: 'OSC 8 with a file', bytes: `\u001b]8;;file:///etc/passwd${st}x\u001b]8;;${st}`},
	{name: 'OSC 9 notification', bytes: '\u001b]9;pwned\u0007'},
	{name: 'OSC 50 font', bytes: '\u001b]50;pwned\u0007'},
	{name: 'OSC 133 prompt mark', bytes: '\u001b]133;A\u0007'},
	{name: 'OSC 777 notification', bytes: '\u001b]777;notify;pwned;x\u0007'},
	{name: 'OSC 1337 file', bytes: '\u001b]1337;File=inline=1:AAAA\u0007'},
	{name: 'OSC without an end', bytes: '\u001b]2;pwned forever'},
	{name: 'DCS request (DECRQSS)', bytes: `\u001bP$q"p${st}`},
	{name: 'DCS through tmux', bytes: `\u001bPtmux;\u001b\u001b]52;c;cHduZWQ=\u0007${st}`},
	{name: 'DCS key definition', bytes: `\u001bP0;1|17/70776e6564${st}`},
	{name: 'sixel', bytes: `\u001bPq#0;2;0;0;0~-${st}`},
	{name: 'APC of kitty', bytes: `\u001b_Ga=T,f=24;AAAA${st}`},
	{name: 'PM', bytes: `\u001b^pwned${st}`},
	{name: 'SOS', bytes: `\u001bXpwned${st}`},
	{name: 'C1 CSI', bytes: '\u009b97A'},
	{name: 'C1 OSC', bytes: '\u009d2;pwned\u009c'},
	{name: 'C1 DCS', bytes: '\u0090$q"p\u009c'},
	{name: 'C1 APC, PM and SOS', bytes: '\u009fG\u009c\u009ex\u009c\u0098x\u009c'},
	{name: 'C1 NEL and HTS', bytes: '\u0085\u0088'},
	{name: 'full reset', bytes: '\u001bc'},
	{name: 'soft reset', bytes: '\u001b[!p'},
	{name: 'alternate screen', bytes: '\u001b[?47h\u001b[?1049;1h'},
	{name: 'erase scrollback', bytes: '\u001b[3J'},
	{name: 'erase the screen', bytes: '\u001b[02J'},
	{name: 'cursor to a place', bytes: '\u001b[7;13H'},
	{name: 'cursor up', bytes: '\u001b[97A'},
	{name: 'cursor saved', bytes: '\u001b7x\u001b8'},
	{name: 'scroll region', bytes: '\u001b[2;3r'},
	{name: 'scroll', bytes: '\u001b[97S\u001b[97T'},
	{name: 'reverse index', bytes: '\u001bM'},
	{name: 'repeat', bytes: 'x\u001b[99999b'},
	{name: 'insert mode', bytes: '\u001b[4h'},
	{name: 'origin mode', bytes: '\u001b[?6h'},
	{name: 'screen alignment (DECALN)', bytes: '\u001b#8'},
	{name: 'charset shift', bytes: '\u000e\u001b(0lqk\u000f'},
	{name: 'charset by name', bytes: '\u001b%@'},
	{name: 'bracketed paste', bytes: '\u001b[?02004l\u001b[201~'},
	{name: 'mouse modes', bytes: '\u001b[?1000h\u001b[?1002h\u001b[?1003h'},
	{name: 'focus reports', bytes: '\u001b[?01004h'},
	{name: 'kitty keyboard', bytes: '\u001b[>31u\u001b[=31;1u'},
	{name: 'modifyOtherKeys', bytes: '\u001b[>4;3m'},
	{name: 'device attributes', bytes: '\u001b[0c\u001bZ'},
	{name: 'answerback', bytes: '\u0005'},
	{name: 'status report', bytes: '\u001b[?996n'},
	{name: 'media copy', bytes: '\u001b[5i'},
	{name: 'hidden text', bytes: '\u001b[8mpwned\u001b[28m'},
	{name: 'bell', bytes: '\u0007'},
	{name: 'overwriting', bytes: 'good\b\b\b\bevil\rEVIL\u000b\u000cx'},
	{name: 'DEL and NUL', bytes: '\u007f\u0000'},
	{name: 'nested escapes', bytes: '\u001b\u001b[2J\u001b[2J[2J'},
	{name: 'ESC at the end', bytes: 'x\u001b'},
	{name: 'CSI at the end', bytes: 'x\u001b[1;'},
	{name: 'bidi override', bytes: '\u202epwned\u202c'},
	{name: 'bidi isolates', bytes: '\u2066\u2067\u2068pwned\u2069'},
	{name: 'zero width', bytes: 'a\u200b\u2060\ufeffb'},
	{name: 'line separators', bytes: 'a\u2028b\u2029c'},
	{name: 'tag characters', bytes: '\u{e0070}\u{e0077}\u{e006e}'},
	{name: 'half a surrogate pair', bytes: 'a\ud83db\udc00'},
];

/** Characters that nothing of the program may write, but for what it writes as sequences of its own. */
export const forbidden =
	/[\u0000-\u0006\u0008\u000b\u000c\u000e-\u001a\u001c-\u001f\u007f-\u009f\u200b\u2028-\u202e\u2060\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/u;

/** Returns the tricks of which the output has the bytes, or a character that nothing may write. */
export function obeyedIn(output: string): readonly string[] {
	const found = tricks
		.filter(
			({bytes}) => /[\u001b\u0007]/.test(bytes) && !/^\u0007$|\u001b\[?[1;]*$/.test(bytes) && output.includes(bytes),
		)
		.map(({name}) => name);
	const character = forbidden.exec(output)?.[0];
	return character ? [...found, `U+${character.codePointAt(0)?.toString(16)}`] : found;
}

/** A flood of marks on one letter, which a terminal may draw over its neighbours. */
export const flood = `z${'\u0301'.repeat(300)}`;

/** The tricks in groups, each a text of one line that fits in a wide window. `mark` tells that a text was shown. */
export function hostileTexts(mark: string, count = 8): readonly string[] {
	const size = Math.ceil(tricks.length / count);
	return Array.from({length: count}, (_, index) => {
		const group = tricks.slice(index * size, (index + 1) * size);
		return `${mark}${index} ${group.map(({bytes}) => bytes).join('')}`;
	});
}
