import {expect, onTestFinished, test} from 'vitest';
import * as z from 'zod/mini';
import {parseArguments, readArguments, usageOf} from '../../src/command/arguments.ts';
import {gather, greet, label, note} from './entries.ts';

const usage = 'Usage: `greet <name> [title] [--twice] [--base-url value]`';
const read = (...words: string[]) => readArguments('greet', greet, words);

test('the usage line shows required and optional arguments and values of flags', () => {
	expect([usageOf('greet', greet), usageOf('note', note)]).toEqual([usage.slice(8, -1), 'note <text…> [--to value]']);
});

test.each([
	[['Ada'], {name: 'Ada'}],
	[['Ada', 'Countess'], {name: 'Ada', title: 'Countess'}],
	[['Ada', '--title', 'Countess'], {name: 'Ada', title: 'Countess'}],
	[['--title=Countess', 'Ada'], {name: 'Ada', title: 'Countess'}],
	[['--twice', 'Ada'], {name: 'Ada', twice: true}],
	[['Ada', '--base-url', 'http://a'], {name: 'Ada', baseUrl: 'http://a'}],
	[['Ada', '--base-url=http://a?b=c'], {name: 'Ada', baseUrl: 'http://a?b=c'}],
	[['--', '--twice'], {name: '--twice'}],
	[['--', '-5'], {name: '-5'}],
	[['Ada', '--title', 'A', '--title', 'B'], {name: 'Ada', title: 'B'}],
])('%j is read by name', (words, values) => {
	expect(read(...words)).toEqual(values);
});

test.each([
	[[], 'greet needs <name>.'],
	[['a', 'b', 'c'], 'Unexpected argument “c” for greet.'],
	[['a', '--title', 'b', 'c'], 'Unexpected argument “c” for greet.'],
	[['a', '--twize'], 'Unknown flag --twize for greet. Did you mean --twice?'],
	[['a', '--wholly-unknown'], 'Unknown flag --wholly-unknown for greet.'],
	[['a', '--name', 'b'], 'Unknown flag --name for greet.'],
	[['a', '--jso'], 'Unknown flag --jso for greet. Did you mean --json?'],
	[['a', '-x'], 'Unknown flag -x for greet.'],
	[['a', '--title'], '--title needs a value.'],
	[['a', '--title', '--twice'], '--title needs a value.'],
	[['a', '--twice=yes'], '--twice takes no value.'],
])('%j is refused with one sentence and the usage', (words, message) => {
	expect(() => read(...words)).toThrowError(expect.objectContaining({code: 'usage', message, hint: usage}));
});

test('the rest of a line is one argument', () => {
	const take = (...words: string[]) => readArguments('note', note, words);
	expect(take('buy', 'milk', '--to', 'Ada')).toEqual({text: 'buy milk', to: 'Ada'});
	expect(take('--', 'buy', '--milk')).toEqual({text: 'buy --milk'});
	expect(() => take('--to', 'Ada')).toThrowError(expect.objectContaining({message: 'note needs <text>.'}));
});

test('the rest of a line is a list if the schema wants one', () => {
	const take = (...words: string[]) => readArguments('gather', gather, words);
	expect(usageOf('gather', gather)).toBe('gather <into> <file…> [--dry]');
	expect(take('box', 'a', 'b c', '--dry', 'd')).toEqual({into: 'box', file: ['a', 'b c', 'd'], dry: true});
	expect(take('box', '--', '--dry')).toEqual({into: 'box', file: ['--dry']});
	expect(take('box', '--', '--into', '-5')).toEqual({into: 'box', file: ['--into', '-5']});
	expect(() => take('box')).toThrowError(expect.objectContaining({message: 'gather needs <file>.'}));
});

test('an error for an invalid value names the argument', () => {
	expect(parseArguments(greet.args, {name: 'Ada'})).toEqual({name: 'Ada', baseUrl: 'none'});
	expect(() => parseArguments(greet.args, {name: 'Ada', baseUrl: 5})).toThrowError(
		expect.objectContaining({code: 'usage', message: '--base-url is invalid.'}),
	);
	expect(() => parseArguments(greet.args, {name: 5}, greet.positional)).toThrowError(
		expect.objectContaining({code: 'usage', message: '<name> is invalid.'}),
	);
});

test.each([
	['level', 'loud', '--level must be one of warn, error.'],
	['port', '99999', '--port must be at most 65535.'],
	['port', '-1', '--port must be at least 0.'],
	['port', '1.5', '--port must be a whole number.'],
	['port', 'x', '--port must be a number.'],
])('--%s %s is refused with the values it accepts', (name, value, message) => {
	const schema = z.object({
		level: z.optional(z.enum(['warn', 'error'])),
		port: z.optional(z.coerce.number().check(z.int(), z.gte(0), z.lte(65_535))),
	});
	expect(() => parseArguments(schema, {[name]: value})).toThrowError(expect.objectContaining({code: 'usage', message}));
});

test('a flag whose schema is a list may be repeated', () => {
	const mark = (...words: string[]) => readArguments('label', label, words);
	expect(usageOf('label', label)).toBe('label <name> --by value --on value [--tag value]…');
	expect(mark('a', '--by', 'Ada', '--on', '1', '--tag', 'x', '--tag=y=z')).toEqual({
		name: 'a',
		by: 'Ada',
		on: '1',
		tag: ['x', 'y=z'],
	});
	expect(mark('a', '--by', 'Ada', '--on', '1')).toEqual({name: 'a', by: 'Ada', on: '1'});
});

test('a negative number is the value of the flag before it, if that takes a number', () => {
	const mark = (...words: string[]) => readArguments('label', label, words);
	expect(mark('a', '--by', '-5', '--on', '-.5', '--tag', '-1')).toEqual({name: 'a', by: '-5', on: '-.5', tag: ['-1']});
	expect(mark('--by=b', '--on', 'c', '--', '-7')).toEqual({name: '-7', by: 'b', on: 'c'});
	expect(() => mark('a', '--', '--by', '-5')).toThrowError(
		expect.objectContaining({message: 'Unexpected argument “--by” for label.'}),
	);
	expect(() => mark('a', '--by', '-b')).toThrowError(expect.objectContaining({message: '--by needs a value.'}));
});

test('all missing flags are named at once', () => {
	expect(() => readArguments('label', label, ['a'])).toThrowError(
		expect.objectContaining({code: 'usage', message: 'label needs --by and --on.'}),
	);
});

test('an error reads the same when another package has set messages for all schemas', () => {
	const before = z.config().localeError;
	onTestFinished(() => void z.config({localeError: before}));
	z.config({localeError: () => 'Other words'});
	const schema = z.object({level: z.enum(['warn', 'error'])});
	expect(() => parseArguments(schema, {level: 'loud'})).toThrow('--level must be one of warn, error.');
});

test('a negative number is an argument, about which the command has its own words', () => {
	expect(read('-5')).toMatchObject({name: '-5'});
});
