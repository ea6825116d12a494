import {code, markdownTable} from '../src/command/topics/markdown-table.ts';
import {topics} from '../src/command/topics/topics.ts';
import {registry} from '../src/providers/registry.ts';

/** Every part of the README that is made from the code, by the name of its markers. */
function sections(): Readonly<Record<string, string>> {
	return {
		providers: markdownTable(
			['provider', 'key', 'base URL'],
			Object.values(registry).map(({name, keyVariables, baseVariable}) => [
				code(name),
				keyVariables.map(code).join(', ') || 'none',
				code(baseVariable),
			]),
		),
		topics: markdownTable(
			['page', 'about'],
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
