import type {Argument} from './options.ts';

/** The tests and actions of `find` that only print, with the number of their values. */
const expressions: Readonly<Record<string, number>> = {
	...{'-name': 1, '-iname': 1, '-path': 1, '-ipath': 1, '-wholename': 1, '-regex': 1, '-iregex': 1, '-regextype': 1},
	...{'-type': 1, '-maxdepth': 1, '-mindepth': 1, '-size': 1, '-mtime': 1, '-mmin': 1, '-atime': 1, '-amin': 1},
	...{'-ctime': 1, '-cmin': 1, '-perm': 1, '-user': 1, '-group': 1, '-links': 1, '-printf': 1},
	...{'-empty': 0, '-print': 0, '-print0': 0, '-prune': 0, '-o': 0, '-or': 0, '-a': 0, '-and': 0, '-not': 0, '!': 0},
	...{'(': 0, ')': 0, '-depth': 0, '-mount': 0, '-xdev': 0, '-daystart': 0, '-readable': 0, '-writable': 0},
	...{'-executable': 0, '-true': 0, '-false': 0, '-quit': 0, '-ls': 0},
};

/** Returns the folders that `find` lists. Returns a string, the first argument that isn't known to only print, if any. */
export function readFind(args: readonly Argument[]): readonly Argument[] | string {
	const isExpression = ({value}: Argument) => /^[-!(),]/.test(value);
	const first = args.findIndex(isExpression);
	const folders = first < 0 ? args : args.slice(0, first);
	for (let index = folders.length; index < args.length; index++) {
		const {value, isFile} = args[index] ?? {value: '', isFile: true};
		const values = Object.hasOwn(expressions, value) ? expressions[value] : undefined;
		if (values === undefined || isFile || args.slice(index + 1, index + 1 + values).some(next => next.isFile)) {
			return value;
		}

		index += values;
	}

	return folders;
}
