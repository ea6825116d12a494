import {onTestFinished} from 'vitest';

/** What reads or copies a string: V8 first copies one that was joined of parts. */
const reading = [
	...([
		'at',
		'charAt',
		'charCodeAt',
		'codePointAt',
		'concat',
		'endsWith',
		'includes',
		'indexOf',
		'lastIndexOf',
	] as const),
	...([
		'localeCompare',
		'match',
		'matchAll',
		'normalize',
		'padEnd',
		'padStart',
		'repeat',
		'replace',
		'replaceAll',
	] as const),
	...(['search', 'slice', 'split', 'startsWith', 'substring', 'toLowerCase', 'toUpperCase', 'trim'] as const),
	...(['trimEnd', 'trimStart', Symbol.iterator] as const),
];

/**
 * Counts how many characters the strings had, in sum, that were read or copied with a method, a regular expression or a
 * segmenter: the same number on every machine. It counts a whole string for each of its characters that is read. The
 * result returns the count, and ends it.
 */
export function countCharacters(): () => number {
	let count = 0;
	const undo: (() => void)[] = [];
	const wrap = (owner: object, name: string | symbol, lengthOf: (self: unknown, argument: unknown) => number) => {
		const method: unknown = Reflect.get(owner, name);
		if (typeof method !== 'function') {
			return;
		}

		const descriptor = Reflect.getOwnPropertyDescriptor(owner, name);
		const counted = function counted(this: unknown, ...given: unknown[]): unknown {
			count += lengthOf(this, given[0]);
			return Reflect.apply(method, this, given);
		};
		Reflect.defineProperty(owner, name, {...descriptor, value: counted});
		undo.push(() => void (descriptor && Reflect.defineProperty(owner, name, descriptor)));
	};
	for (const name of reading) {
		wrap(String.prototype, name, self => (typeof self === 'string' ? self.length : 0));
	}

	const ofArgument = (_: unknown, argument: unknown) => (typeof argument === 'string' ? argument.length : 0);
	wrap(RegExp.prototype, 'exec', ofArgument);
	wrap(RegExp.prototype, 'test', ofArgument);
	wrap(Intl.Segmenter.prototype, 'segment', ofArgument);
	const stop = () => {
		for (const each of undo.splice(0)) {
			each();
		}

		return count;
	};
	onTestFinished(() => void stop());
	return stop;
}

/** Returns what `countCharacters` counts during some work. */
export function charactersRead(work: () => unknown): number {
	const stop = countCharacters();
	try {
		work();
	} finally {
		stop();
	}

	return stop();
}
