import {execFile} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {promisify} from 'node:util';
import {environmentOf, program} from './program.ts';

const run = promisify(execFile);

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

/** Returns a block of a section: its first, or the one with this index. */
export function blockOf(heading: string, index = 0): string {
	const block = sections.get(heading)?.[index];
	if (block === undefined) {
		throw new Error(`The page has no block ${index} below “${heading}”.`);
	}

	return block;
}

/** Runs shell lines as an operator whose home is `home`, who calls the program `service`; the first failure ends it. */
export async function shell(lines: string, home: string, more: Readonly<Record<string, string>> = {}) {
	const script = `set -euo pipefail\ncd "$HOME"\nservice() { "${process.execPath}" "${program}" "$@"; }\n${lines}`;
	const {SERVICE_HOME: _, ...env} = environmentOf({});
	return await run('bash', ['-c', script], {env: {...env, PATH: process.env['PATH'] ?? '', HOME: home, ...more}});
}
