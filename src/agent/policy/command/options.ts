/** An argument; `isFile` if it is the name of a file that a pattern matched, so it may not act as an option or a value. */
export type Argument = {readonly value: string; readonly isFile: boolean};

/** How an option takes its value: none, `-n 5` or `--lines=5`, or only attached as in `-U3` and `--color=never`. */
type OptionKind = 'none' | 'value' | 'attached';
export type Options = ReadonlyMap<string, OptionKind>;

export type Arguments = {
	readonly operands: readonly Argument[];
	/** Every value of each option; `''` for one without. */
	readonly options: ReadonlyMap<string, readonly string[]>;
	/** The operands as they stand, with the `--` before those after it. */
	readonly words: readonly string[];
};

/** Reads a list such as `-a -n= -U? --lines= --color? -#`; `-#` is a number such as `-20`. */
export function optionsOf(list: string): Options {
	return new Map(
		list
			.split(/\s+/)
			.filter(Boolean)
			.map(option => {
				const kind = option.endsWith('=') ? 'value' : option.endsWith('?') ? 'attached' : 'none';
				return [kind === 'none' ? option : option.slice(0, -1), kind] as const;
			}),
	);
}

/**
 * Sorts arguments into operands and options. Returns the option as a string if it isn't in the list: only exact names
 * are, so an abbreviation is unknown as well.
 */
export function readArguments(args: readonly Argument[], known: Options): Arguments | string {
	const operands: Argument[] = [];
	const options = new Map<string, readonly string[]>();
	const add = (name: string, value: string) => options.set(name, [...(options.get(name) ?? []), value]);
	let index = 0;
	/** Returns the value in the argument after an option; it can't look like another option. */
	const next = () => {
		const argument = args[++index];
		return argument && !argument.isFile && !argument.value.startsWith('-') ? argument.value : undefined;
	};
	for (; index < args.length; index++) {
		const {value, isFile} = args[index] ?? {value: '', isFile: false};
		if (value === '--' && !isFile) {
			const after = args.slice(index + 1);
			return {operands: [...operands, ...after], options, words: [...texts(operands), '--', ...texts(after)]};
		}

		if (!value.startsWith('-') || value === '-') {
			operands.push({value, isFile});
		} else if (isFile) {
			return value;
		} else if (/^-\d+$/.test(value) && known.has('-#')) {
			add('-#', value.slice(1));
		} else {
			const read = value.startsWith('--') ? readLong(value, known, next) : readShort(value, known, next);
			if (read === undefined) {
				return value;
			}

			for (const [name, text] of read) {
				add(name, text);
			}
		}
	}

	return {operands, options, words: texts(operands)};
}

function texts(args: readonly Argument[]): readonly string[] {
	return args.map(({value}) => value);
}

type Read = ReadonlyArray<readonly [name: string, value: string]> | undefined;

function readLong(value: string, known: Options, next: () => string | undefined): Read {
	const [, name = '', attached] = /^(--[^=]*)(?:=(.*))?$/s.exec(value) ?? [];
	const kind = known.get(name);
	if (kind === undefined || (kind === 'none' && attached !== undefined)) {
		return undefined;
	}

	const text = kind === 'value' ? (attached ?? next()) : (attached ?? '');
	return text === undefined ? undefined : [[name, text]];
}

function readShort(value: string, known: Options, next: () => string | undefined): Read {
	const read: (readonly [string, string])[] = [];
	for (let at = 1; at < value.length; at++) {
		const name = `-${value[at]}`;
		const kind = known.get(name);
		if (kind === undefined) {
			return undefined;
		}

		if (kind !== 'none') {
			const attached = value.slice(at + 1);
			const text = kind === 'value' && attached === '' ? next() : attached;
			return text === undefined ? undefined : [...read, [name, text]];
		}

		read.push([name, '']);
	}

	return read;
}
