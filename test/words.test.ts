import {readFileSync} from 'node:fs';
import {expect, test} from 'vitest';
import {commands} from '../commands/index.ts';
import {isNoun} from '../src/command/context.ts';
import {globalFlags, runFlags} from '../src/command/flags.ts';
import {sourceFiles, stringsOf} from './source-strings.ts';

const files = sourceFiles();
const strings = files.flatMap(file => stringsOf(file));

/** Returns the comments of a file, each with its first line. */
function commentsOf(file: string): ReadonlyArray<{readonly at: string; readonly text: string}> {
	const code = readFileSync(file, 'utf8');
	return [...code.matchAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm)].map(match => ({
		at: `${file}:${code.slice(0, match.index).split('\n').length}`,
		text: match[0],
	}));
}

const comments = files.flatMap(commentsOf);

const pronoun = /\b(?:he|his|him|she|hers)\b/i;

test.each([
	['an archaic word', /\b(?:anew|thereof|whereof|thereby|wherever|whoever)\b/i],
	['a pronoun of one sex', pronoun],
	['“put it right”', /\bput (?:it|them) right\b/i],
	['“wake”, which is “resume”', /\bwake\b/i],
	['a blank before a percent sign, as one percentage is written like any other', /[\d}] %(?![\w%])/],
	['a key that takes or leaves', /\b(?:Enter|Esc|Tab) (?:takes|leaves)\b/],
	['a key whose verb has an s', /\b(?:Enter|Esc|Tab|(?:Ctrl|Alt)\+[A-Z]) [a-z]+s\b/],
])('no text has %s', (_, pattern) => {
	expect(strings.filter(({text}) => / /.test(text) && pattern.test(text))).toEqual([]);
});

/** The verbs of these keys, on every screen. */
const verbs: Readonly<Record<string, readonly string[]>> = {
	Enter: ['select', 'send', 'open', 'confirm'],
	Esc: ['cancel', 'close', 'interrupt', 'back'],
};

test('key hints are a key and its verb', () => {
	const parts = strings.flatMap(({text}) =>
		text.includes(' · ') ? text.split(' · ') : /^\w+ [a-z]+$/.test(text) ? text : [],
	);
	const hints = parts.flatMap(part => /^(Enter|Esc) (\w+)/.exec(part) ?? []);
	expect(hints.length).toBeGreaterThan(0);
	expect(parts.filter(part => /^(?:Enter|Esc) /.test(part) && !isHint(part))).toEqual([]);
});

function isHint(part: string): boolean {
	// A placeholder is a sentence: “Esc to interrupt”.
	const [key = '', verb = ''] = part.replace(' to ', ' ').split(' ');
	return verbs[key]?.includes(verb) ?? false;
}

test('no sentence names a key that users can bind to something else: hints come from the keymap in effect', () => {
	const bindable = /\b(?:Alt|Shift)\+\S|\bCtrl\+(?!C\b)\S|\b(?:Tab|Space|PgUp|PgDn)\b|[↑↓] ?\w/;
	// It has an example of a setting.
	const example = 'src/command/keymap/key-table.ts';
	const shown = strings.filter(({file}) =>
		/^(?:commands|src\/(?:agent|client|command|platform|session|ui))\//.test(file),
	);
	expect(shown.filter(({file, text}) => file !== example && / /.test(text) && bindable.test(text))).toEqual([]);
});

test('an empty list names the next step', () => {
	const empties = files.flatMap(file =>
		Array.from(readFileSync(file, 'utf8').matchAll(/\bempty: (['"`])(?=\S)(.+?)\1,?$/gm), ([, , text]) => text ?? ''),
	);
	expect(empties.length).toBeGreaterThan(20);
	expect(empties.filter(text => !/[.:] \S/.test(text))).toEqual([]);
});

const all = commands.flatMap(entry => (isNoun(entry) ? entry.verbs : [entry]));

test('summaries of flags fit a line and are not sentences', () => {
	const summaries = [...Object.values(runFlags), ...Object.values(globalFlags)].map(({summary}) => summary);
	expect(summaries.filter(summary => summary.length > 56 || !/^[A-Z].*[^.\s]$/.test(summary))).toEqual([]);
});

test('the description of an argument is one clause of at most 135 characters', () => {
	const said = all.flatMap(({name, describe = {}}) => Object.values(describe).map(text => [name, text]));
	expect(said.filter(([, text = '']) => text.length > 135 || /[.]$/.test(text))).toEqual([]);
});

test('docstrings start with a standard verb', () => {
	const first = /^\/\*\*\s*(?:\*\s*)?(?:Gives|Takes|Tells|Says|Makes|Hears)\b/;
	expect(comments.filter(({text}) => first.test(text))).toEqual([]);
});

test('comments speak of the user as “they”', () => {
	expect(comments.filter(({text}) => pronoun.test(text) || /\banew\b/i.test(text))).toEqual([]);
});
