import fc from 'fast-check';
import {expect, test} from 'vitest';
import {drawingOfCommand} from '../../../src/command/approvals/subject-drawing.ts';
import type {Panel} from '../../../src/ui/panels/panels.ts';
import {drawingOf} from '../../../src/ui/transcript/diff-lines.ts';
import {palette} from '../canvas.ts';
import {openPanel} from './open-panel.tsx';

const sizes = [
	[20, 5],
	[24, 6],
	[30, 8],
	[40, 10],
] as const;

const yes = {key: 'y', label: 'Yes, once', value: 'once'};
const why = {key: 'r', label: 'No, and say why', value: 'reason'};
const diff = `@@ -1 +1 @@\n-${'a long line '.repeat(9)}\n+${Array.from({length: 20}, (_, index) => `line ${index}`).join('\n+')}`;
const path = 'src/components/checkout/summary.ts';
const questions = {
	'a command': {
		question: 'Run this command?',
		subject: drawingOfCommand('npm install --save-exact a-package-with-a-name', false),
		about: {facts: [['Sandbox', 'with network, writes only in this folder']]},
		answers: [yes, {key: 's', label: 'Yes, and allow npm install * this session', value: 'session'}, why],
	},
	'an edit': {
		question: `Change ${path}?`,
		subject: drawingOf({path, added: 20, removed: 1, diff}),
		answers: [yes, why],
	},
	'a long question': {
		question: `Delete the sandbox web-shop of acme with ${Array.from({length: 12}, (_, index) => `log ${index}`).join()} for good?`,
	},
} as const satisfies Record<string, Partial<Panel>>;

const words = (text: string) => text.replaceAll(/[^\p{L}\p{N}]/gu, '');

test.each(sizes.flatMap(size => Object.entries(questions).map(([name, asked]) => ({name, size, asked}))))(
	'[4] in a window of $size, the keys that answer $name stay in sight, and everything above them scrolls',
	async ({size: [columns, rows], asked}) => {
		const {lines, move} = await openPanel({kind: 'confirm', askedAt: -10_000, ...asked}, columns, rows);
		const keys = /\[y\/.*N\]|❯ n {1,2}No/;
		const seen: string[] = [];
		for (let isMore = true; isMore; await move(1)) {
			const shown = lines();
			expect(shown.length).toBeLessThan(rows);
			expect(shown.join('\n')).toMatch(keys);
			const rowsAlone = shown.filter(row => !row.includes(' ⋯ ') && !seen.includes(row));
			seen.push(...rowsAlone.map(row => row.replace(/ *\[y.*/, '')));
			isMore = shown.some(row => /…\d+/.test(row)) && seen.length < 99;
		}

		const {question, about, subject} = {about: undefined, subject: undefined, ...asked};
		const subjectRows = subject?.window({width: columns, palette, rows: 999}).shown ?? [];
		const facts = about?.facts.map(([label, value]) => label + value) ?? [];
		for (const text of [question, ...subjectRows, ...facts]) {
			expect(words(seen.join(''))).toContain(words(text));
		}
	},
);

test('[4] the end of a command stays in sight as it is written, also where its rows break at a blank', async () => {
	const command = 'touch a && npm test && npx eslint src && cargo test && go test ./... ; touch ENDE';
	const subject = drawingOfCommand(command, false);
	const about = {facts: [['Sandbox', 'no network, writes only in this folder']]} as const;
	const ends: string[] = [];
	for (let columns = 30; columns < 50; columns++) {
		const panel = {kind: 'confirm', askedAt: -10_000, question: 'Run?', subject, about, answers: [yes, why]} as const;
		const {lines} = await openPanel(panel, columns, 6);
		ends.push(...lines().flatMap(row => row.split(' ⋯ ')[1]?.trimEnd() ?? []));
	}

	expect(ends.length).toBeGreaterThan(10);
	expect(ends.filter(end => !command.endsWith(end))).toEqual([]);
});

test('[4] the ends of a command have a row of their own only while not all of its rows are in sight', async () => {
	const seen = new Set<boolean>();
	const step = fc.record({
		columns: fc.integer({min: 24, max: 60}),
		rows: fc.integer({min: 6, max: 11}),
		words: fc.integer({min: 4, max: 30}),
		pages: fc.integer({min: 0, max: 3}),
	});
	await fc.assert(
		fc.asyncProperty(step, async ({columns, rows, words: count, pages}) => {
			const command = Array.from({length: count}, (_, index) => `word${index}`).join(' ');
			const subject = drawingOfCommand(command, false);
			const about = {facts: [['Sandbox', 'with network, writes only in this folder']]} as const;
			const panel = {kind: 'confirm', askedAt: -10_000, question: 'Run?', subject, about, answers: [yes, why]} as const;
			const {lines, move} = await openPanel(panel, columns, rows);
			for (let page = 0; page < pages; page++) {
				await move(1);
			}

			const shown = lines().map(row => row.trimEnd());
			const all = subject.window({width: columns, palette, rows: 999}).shown.map(row => row.trimEnd());
			const hasEnds = shown.some(row => row.includes(' ⋯ '));
			const isWhole = all.every(row => shown.includes(row));
			// A window with room for everything folds nothing, either.
			expect(hasEnds).toBe(!isWhole);
			seen.add(hasEnds);
		}),
		{numRuns: 40},
	);
	expect(seen).toEqual(new Set([true, false]));
});
