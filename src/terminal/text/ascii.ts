import {graphemesOf, graphemeWidth} from './width.ts';

/** The form in ASCII of each sign that the program draws, one cell wide as the sign is: columns stay where they are. */
const forms: Readonly<Record<string, string>> = {
	...pairs('“”', '""'),
	...pairs('‘’', "''"),
	...pairs('«»⟨⟩', '<><>'),
	...pairs('…·–—−×', '~|---x'),
	...pairs('─│┌┬┐├┼┤└┴┘', '-|+++++++++'),
	...pairs('┄━', '.='),
	...pairs('█▉▊▋▌▍▎▏░', '####|....'),
	...pairs('▀▄', '"_'),
	...pairs('←↑→↓⇣↺', '<^>vv<'),
	...pairs('✓✗✖✘■●○•◦▪◌✻', '+xxx#*o*o-o*'),
	...pairs('❯▸▾⋯ℹ', '>>v~i'),
	...pairs('☑☐', 'x_'),
	...pairs('⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏', '|/-\\|/-\\|/'),
};

function pairs(signs: string, ascii: string): Readonly<Record<string, string>> {
	return Object.fromEntries(Array.from(signs, (sign, index) => [sign, ascii[index] ?? '?']));
}

/** What stands for control characters (`␛`). */
const pictures = /[\u2400-\u2426]/g;
const signs = new RegExp(`[${Object.keys(forms).join('')}]`, 'g');
const beyond = /[^\0-\u007F]+/g;

/**
 * Returns what a terminal without our signs can show. Other text stays as it is; with `replaces`, each cell of it becomes
 * `?`: a terminal that doesn't read UTF-8 would obey some of its bytes (SAFETY 1).
 */
export function toAscii(text: string, {replaces}: {readonly replaces: boolean}): string {
	const own = text.replace(signs, sign => forms[sign] ?? sign).replace(pictures, '?');
	return replaces
		? own.replace(beyond, part =>
				graphemesOf(part)
					.map(grapheme => '?'.repeat(graphemeWidth(grapheme)))
					.join(''),
			)
		: own;
}

/** Returns a stream that writes text in ASCII, and is otherwise the given one. */
export function asciiOutput<Stream extends NodeJS.WriteStream>(
	stream: Stream,
	options: Parameters<typeof toAscii>[1],
): Stream {
	const write = (data: string | Uint8Array, ...rest: readonly never[]) =>
		stream.write(typeof data === 'string' ? toAscii(data, options) : data, ...rest);
	return new Proxy(stream, {
		get(target, name) {
			const value: unknown = name === 'write' ? write : Reflect.get(target, name, target);
			return typeof value === 'function' && name !== 'write' ? value.bind(target) : value;
		},
		set: (target, name, value) => Reflect.set(target, name, value, target),
	});
}
