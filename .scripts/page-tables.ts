import {code, markdownTable} from '../src/command/topics/tables.ts';
import {topics} from '../src/command/topics/topics.ts';
import {registry} from '../src/providers/registry.ts';
import figures from '../test/bench/figures.json' with {type: 'json'};
import {performanceTable} from './performance-table.ts';

/** Returns a table with several of these pairs in a row, in the order of columns. */
function pairsTable(head: readonly [string, string], pairs: ReadonlyArray<readonly string[]>, across: number): string {
	const height = Math.ceil(pairs.length / across);
	const rows = pairs
		.slice(0, height)
		.map((_, row) => Array.from({length: across}, (__, column) => pairs[row + column * height] ?? ['', '']).flat());
	return markdownTable(Array.from({length: across}, () => head).flat(), rows);
}

/** Every part of the README that is made from the code and the stored figures, by the name of its markers. */
function sections(): Readonly<Record<string, string>> {
	return {
		providers: pairsTable(
			['provider', 'key'],
			Object.values(registry).map(({name, keyVariables}) => [code(name), keyVariables.map(code).join(', ') || 'none']),
			3,
		),
		performance: performanceTable(figures),
		topics: pairsTable(
			['`help`', 'about'],
			topics.map(({name, summary}) => [code(name), summary]),
			2,
		),
	};
}

/**
 * Returns the README with new text between `<!-- name -->` and `<!-- /name -->`, for each section. Throws if a pair of
 * markers is missing.
 */
export function renderReadme(readme: string): string {
	let text = readme;
	for (const [name, section] of Object.entries(sections())) {
		const open = `<!-- ${name} -->`;
		const close = `<!-- /${name} -->`;
		const from = text.indexOf(open);
		const to = text.indexOf(close, from);
		if (from < 0 || to < 0) {
			throw new Error(`README.md needs ${open} and ${close}.`);
		}

		text = `${text.slice(0, from + open.length)}\n${section}\n${text.slice(to)}`;
	}

	return text;
}
