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

/** The names of the bundled tasks. */
export const exampleNames = Object.keys(examples);

let checked: readonly Task[] | undefined;

/** Returns the bundled tasks; they need only Node. */
export function exampleTasks(): readonly Task[] {
	checked ??= Object.entries(examples).map(([name, {task, files}]) => ({
		...checkTask(task, name),
		readFiles: async () => new Map(Object.entries(files)),
	}));
	return checked;
}
