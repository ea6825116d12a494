import {readFileSync} from 'node:fs';

/** The blocks of commands of each section of the page, in order. */
const sections = new Map(
	readFileSync('src/command/topics/operate.md', 'utf8')
		.split(/^## /m)
		.slice(1)
		.map(section => [
			section.slice(0, section.indexOf('\n')),
			[...section.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block),
		]),
);

/** The sections with blocks. */
export const withBlocks = [...sections].filter(([, blocks]) => blocks.length > 0).map(([heading]) => heading);

/** Returns the lines of a block of a section: its first, or the one with this index. */
export function linesOf(heading: string, index = 0): readonly string[] {
	const block = sections.get(heading)?.[index];
	if (block === undefined) {
		throw new Error(`The page has no block ${index} below “${heading}”.`);
	}

	return block.trimEnd().split('\n');
}
