import {checkTask} from '../parse-task.ts';
import type {Task} from '../task.ts';
import {brokenCart} from './broken-cart.ts';
import type {Example} from './example.ts';
import {nightlyImport} from './nightly-import.ts';
import {webShop} from './web-shop.ts';

const examples: Readonly<Record<string, Example>> = {
	'web-shop': webShop,
	'broken-cart': brokenCart,
	'nightly-import': nightlyImport,
};

/** Their names, as one asks for them. */
export const exampleNames = Object.keys(examples);

let checked: readonly Task[] | undefined;

/** The tasks that ship with the program; they need nothing but Node. */
export function exampleTasks(): readonly Task[] {
	checked ??= Object.entries(examples).map(([name, {task, files}]) => ({
		...checkTask(task, name),
		readFiles: async () => new Map(Object.entries(files)),
	}));
	return checked;
}
