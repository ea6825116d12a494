import {expect, test} from 'vitest';
import {commands} from '../../../commands/index.ts';
import {complete, completeWords} from '../../../src/command/completion/complete.ts';
import {entries} from '../entries.ts';

const lines = (typed: string) => complete(entries, typed).map(({line}) => line);

test('a lone slash offers every command of the app, with a space after those that need an argument', () => {
	expect(lines('/')).toEqual(['/greet ', '/note ', '/enter ', '/vault', '/store ', '/screen']);
});

test('a suggestion says what the command does', () => {
	expect(complete(entries, '/gr')).toEqual([{line: '/greet ', label: '/greet', summary: 'Greet someone'}]);
});

test.each([
	['/s', ['/store ', '/screen']],
	['/hel', ['/greet ']],
	['/ree', ['/greet ', '/screen']],
	['/vault ', ['/vault set ', '/vault list']],
	['/vault s', ['/vault set ']],
	['/vault ls', ['/vault list']],
	['/vault set ', []],
	['/vault set a', []],
	['/greet ', []],
	['/zzz', []],
	['greet', []],
	['', []],
	['/gr\nmore', []],
	['/"gr', []],
	['/ gr', []],
	['/\\', []],
])('%j completes to %j', (typed, expected) => {
	expect(lines(typed)).toEqual(expected);
});

test.each(['/run', '/trace', '/session', '/keys'])('the command that is typed whole is offered first: %s', typed => {
	expect(complete(commands, typed)[0]?.label).toBe(typed);
});

test("the app doesn't offer a noun whose verbs all need a shell", () => {
	expect(complete(commands, '/serv').map(({label}) => label)).toEqual([]);
	expect(completeWords(commands, ['serv'], {place: 'shell'}).map(({word}) => word)).toEqual(['serve']);
});
