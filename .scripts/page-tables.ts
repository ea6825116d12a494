import {code, markdownTable} from '../src/command/topics/tables.ts';
import {topics} from '../src/command/topics/topics.ts';
import {registry} from '../src/providers/registry.ts';
import figures from '../test/bench/figures.json' with {type: 'json'};
import faultFigures from '../test/faults/figures.json' with {type: 'json'};
import {faultsTable} from './faults-table.ts';
import {performanceTable} from './performance-table.ts';

/** Returns a table with several of these pairs in a row, in the order of columns. */
function pairsTable(head: readonly [string, string], pairs: ReadonlyArray<readonly string[]>, across: number): string {
	const height = Math.ceil(pairs.length / across);
	const rows = pairs
		.slice(0, height)
		.map((_, row) => Array.from({length: across}, (__, column) => pairs[row + column * height] ?? ['', '']).flat());
	return markdownTable(Array.from({length: across}, () => head).flat(), rows);
}

type Sections = Readonly<Record<string, string>>;

/** Every part of the README that is made from the code and the stored figures, by the name of its markers. */
function readmeSections(): Sections {
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

/** Returns the README with its tables as they are by now. Throws if a pair of markers is missing. */
export function renderReadme(text: string): string {
	return renderSections(text, 'README.md', readmeSections());
}

/** Returns .github/FAULTS.md with the figures that `npm run faults -- --write` stored. Throws if a marker is missing. */
export function renderFaults(text: string): string {
	return renderSections(text, '.github/FAULTS.md', {faults: faultsTable(faultFigures)});
}

/** Returns a file with new text between `<!-- name -->` and `<!-- /name -->`, for each section. */
function renderSections(given: string, file: string, sections: Sections): string {
	let text = given;
	for (const [name, section] of Object.entries(sections)) {
		const open = `<!-- ${name} -->`;
		const close = `<!-- /${name} -->`;
		const from = text.indexOf(open);
		const to = text.indexOf(close, from);
		if (from < 0 || to < 0) {
			throw new Error(`${file} needs ${open} and ${close}.`);
		}

		text = `${text.slice(0, from + open.length)}\n${section}\n${text.slice(to)}`;
	}

	return text;
}
