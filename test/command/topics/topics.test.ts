import {expect, test} from 'vitest';
import {topicResult} from '../../../commands/help.ts';
import {commands} from '../../../commands/index.ts';
import {readArguments} from '../../../src/command/arguments.ts';
import {complete} from '../../../src/command/completion/complete.ts';
import {takeGlobalFlags} from '../../../src/command/global-flags.ts';
import {helpOfAll} from '../../../src/command/help.ts';
import {readInvocation} from '../../../src/command/invocation.ts';
import {readKeys} from '../../../src/command/keymap/read-keys.ts';
import {renderResult} from '../../../src/command/render/render.ts';
import {findCommand} from '../../../src/command/table.ts';
import {pageOf} from '../../../src/command/topics/pages.ts';
import {environmentRows} from '../../../src/command/topics/tables.ts';
import {topics} from '../../../src/command/topics/topics.ts';
import {splitWords} from '../../../src/command/words.ts';
import {operations} from '../../../src/contract/extensions.ts';
import {exitStatus} from '../../../src/core/error.ts';
import {contexts} from '../../../src/editor/keymap/contexts.ts';
import {registry} from '../../../src/providers/registry.ts';
import {attributeTable} from '../../../src/server/ingest/attributes.ts';
import {createPalette} from '../../../src/terminal/text/style.ts';
import {lineWidth} from '../../../src/terminal/text/width.ts';

const names = topics.map(({name}) => name);

test.each(names)('the page %s has a title and its tables, and no marker', name => {
	const page = pageOf(name);
	expect(page).toMatch(/^# \S/);
	expect(page).not.toContain('<!--');
	// A paragraph is one line, also one of a list; the window wraps it.
	expect(page.replaceAll(/^```[\s\S]*?^```$/gm, '')).not.toMatch(/^[^|\n]*\S {2,}\S/m);
	expect(page.replace(/```[\s\S]*?```/g, '')).not.toMatch(/^[A-Za-z`].*\n[A-Za-z`]/m);
	expect(page.split('\n').filter(line => /\s$/.test(line))).toEqual([]);
});

test.each(names.flatMap(name => [40, 80, 120].map(width => [name, width] as const)))(
	'the page %s fits %d columns',
	async (name, width) => {
		const lines = renderResult(await topicResult(topics[names.indexOf(name)] ?? topics[0]), {
			width,
			palette: createPalette({color: true}),
		});
		expect(lines.length).toBeGreaterThan(8);
		expect(lines.filter(line => lineWidth(line) > width)).toEqual([]);
	},
);

test('tables have a row for every entry in the code', () => {
	const environment = pageOf('environment');
	for (const [variables] of environmentRows()) {
		expect(environment).toContain(`| ${variables} |`);
	}

	for (const {baseVariable} of Object.values(registry)) {
		expect(environment).toContain(`\`${baseVariable}\``);
	}

	for (const status of [0, ...Object.values(exitStatus)]) {
		expect(pageOf('exit-status')).toContain(`\n| ${status} | `);
	}

	const rows = (name: (typeof names)[number]) =>
		pageOf(name)
			.split('\n')
			.filter(line => /^\| (?!---)/.test(line)).length - 1;
	expect(rows('operations')).toBe(Object.keys(operations).length);
	expect(rows('traces')).toBe(Object.keys(attributeTable).length);
});

const shellLines = names.flatMap(name =>
	[...pageOf(name).matchAll(/```sh\n([\s\S]*?)```/g)]
		.flatMap(([, block = '']) => block.trim().split('\n'))
		.map(line => /(?:^|\| |\()service (.*)$/.exec(line.replace(/\s+#.*$/, ''))?.[1]?.replace(/ (?:&&|\||>) .*|\)$/, ''))
		.filter(line => line !== undefined)
		.map(line => [name, line.replace(/<[^>]+>/g, '7d9f3a52')] as const),
);

test.each(shellLines)('on the page %s, the line service %s is valid', (_, line) => {
	const invocation = readInvocation(splitWords(line));
	if (invocation.mode === 'command') {
		const {command, path, rest} = findCommand(commands, takeGlobalFlags(invocation.words).rest);
		expect(() => readArguments(path, command, rest)).not.toThrow();
	} else {
		expect(invocation.mode).toBe('once');
	}
});

test('the pages contain command lines to test', () => {
	expect(shellLines.length).toBeGreaterThan(12);
});

test('help lists the topics, in the app and in a shell', () => {
	for (const inApp of [true, false]) {
		const text = JSON.stringify(helpOfAll(commands, inApp));
		expect(names.filter(name => !text.includes(name))).toEqual([]);
	}
});

test('topics complete after help', () => {
	expect(complete(commands, '/help e').map(({line}) => line)).toEqual(
		expect.arrayContaining(['/help environment', '/help exit-status']),
	);
	expect(complete(commands, '/help ').map(({label}) => label)).toEqual(names);
});

test('the page about keys has those in effect, for each place of the app', () => {
	const own = readKeys({'viewer.wrap': 'Z', 'app.transcript': 'ctrl+x t', 'prompt.transpose': []}).own;
	const page = pageOf('keys', own);
	for (const row of [
		'| Z (yours) | wrap or cut long lines | `viewer.wrap` |',
		'| Ctrl+X T (yours) | open the full transcript | `app.transcript` |',
		'| none (yours) | swap two characters | `prompt.transpose` |',
		'| Tab | complete | `completion.complete` |',
	]) {
		expect(page).toContain(row);
	}

	expect(page).not.toMatch(/Ctrl\+O\b|\| w /);
	expect(contexts.filter(({title}) => !page.includes(`### ${title}\n`))).toEqual([]);
});
