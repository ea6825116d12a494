import {code, markdownTable} from '../src/command/topics/tables.ts';
import {topics} from '../src/command/topics/topics.ts';
import {registry} from '../src/providers/registry.ts';
import figures from '../test/bench/figures.json' with {type: 'json'};
import {performanceTable} from './performance-table.ts';

/** Returns the providers, three in a row. */
function providersTable(): string {
	const cells = Object.values(registry).map(({name, keyVariables}) => [
		code(name),
		keyVariables.map(code).join(', ') || 'none',
	]);
	const height = Math.ceil(cells.length / 3);
	const rows = cells
		.slice(0, height)
		.map((_, row) => [0, 1, 2].flatMap(column => cells[column * height + row] ?? ['', '']));
	return markdownTable(['provider', 'key', 'provider', 'key', 'provider', 'key'], rows);
}

/** Every part of the README that is made from the code and the stored figures, by the name of its markers. */
function sections(): Readonly<Record<string, string>> {
	return {
		providers: providersTable(),
		performance: performanceTable(figures),
		topics: markdownTable(
			['page, `/help <topic>` in the app', 'about'],
			topics.map(({name, summary}) => [code(`service help ${name}`), summary]),
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
