import {afterEach, beforeEach, expect, test, vi} from 'vitest';
import {createPlainNote, createWaitNote} from '../../src/headless/wait-note.ts';
import type {Interaction} from '../../src/platform/interaction.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function terminal(columns = 80) {
	const written: string[] = [];
	return {written, columns, write: (data: string) => written.push(data)};
}

/** A user who answers after 1.8 seconds. */
function person(written: string[]): Interaction {
	const later = async <T>(value: T) => {
		written.push('asked');
		await new Promise(resolve => setTimeout(resolve, 1800));
		return value;
	};
	return {
		ask: () => later('typed'),
		choose: () => later('chosen'),
		confirm: () => later(true),
		say: text => written.push(text),
		progress: text => written.push(text),
		showLogin: () => () => undefined,
	};
}

const working = (command: string) => ({command, waitsFor: () => undefined});

const erase = '\r\u001B[K';
const line = (text: string) => `\r${text} Ctrl+C cancel\u001B[K`;

test('a wait is shown after 300 ms, updated every second and cleared [21]', () => {
	const {written, ...output} = terminal();
	const note = createWaitNote({...output, write: data => written.push(data)}, working('credits show'));
	vi.advanceTimersByTime(299);
	expect(written).toEqual([]);
	vi.advanceTimersByTime(1);
	vi.advanceTimersByTime(1000);
	note.end();
	vi.advanceTimersByTime(5000);
	expect(written).toEqual([line('credits show…'), line('credits show… 1.0 s'), erase]);
});

test('a quick command writes nothing, and a line never wraps', () => {
	const quick = terminal();
	createWaitNote(quick, working('keys list')).end();
	expect(quick.written).toEqual([]);

	const narrow = terminal(12);
	const note = createWaitNote(narrow, working('finding list'));
	vi.advanceTimersByTime(300);
	note.end();
	expect(narrow.written).toEqual(['\rfinding li…\u001B[K', erase]);
});

test.each(['ask', 'choose', 'confirm'] as const)('it is gone while a person has to %s', async question => {
	const output = terminal();
	const note = createWaitNote(output, working('login'));
	vi.advanceTimersByTime(300);
	const beside = note.beside(person(output.written));
	const answer = {
		ask: () => beside.ask({label: 'Key:', masked: true}),
		choose: () => beside.choose({title: 'Which', choices: []}),
		confirm: () => beside.confirm('Sure?'),
	}[question]();
	await vi.advanceTimersByTimeAsync(1800);
	await answer;
	expect(output.written).toEqual([line('login…'), erase, 'asked']);
	await vi.advanceTimersByTimeAsync(1000);
	note.end();
	expect(output.written.slice(3)).toEqual([line('login… 2.0 s'), erase]);
});

test('a message gets its own line, and the note is drawn again below it', () => {
	const output = terminal();
	const note = createWaitNote(output, working('env create'));
	vi.advanceTimersByTime(300);
	note.beside(person(output.written)).say("The server isn't responding.");
	vi.advanceTimersByTime(1000);
	note.end();
	expect(output.written).toEqual([
		line('env create…'),
		erase,
		"The server isn't responding.",
		line('env create… 1.0 s'),
		erase,
	]);
});

test('a command with progress shows no note', () => {
	const output = terminal();
	const note = createWaitNote(output, working('trace artifact'));
	const {progress} = note.beside(person(output.written));
	vi.advanceTimersByTime(300);
	progress?.('Saving: 1 kB');
	progress?.('Saving: 2 kB');
	vi.advanceTimersByTime(5000);
	note.end();
	expect(output.written).toEqual([line('trace artifact…'), erase, 'Saving: 1 kB', 'Saving: 2 kB']);
});

test('without a terminal a wait is printed once, after 2 s, and not during a question [21]', async () => {
	const written: string[] = [];
	const note = createPlainNote(text => written.push(text), working('finding list'));
	vi.advanceTimersByTime(1999);
	const answer = note.beside(person(written)).confirm('Sure?');
	await vi.advanceTimersByTimeAsync(1800);
	expect([await answer, written]).toEqual([true, ['asked']]);
	vi.advanceTimersByTime(1999);
	expect(written).toEqual(['asked']);
	vi.advanceTimersByTime(1);
	expect(written).toHaveLength(2);
	vi.advanceTimersByTime(60_000);
	note.end();
	expect(written).toEqual(['asked', 'finding list is still working. Press Ctrl+C to cancel.']);
});

test('a wait names the host whose answer is missing, and nothing if there is none', () => {
	const written: string[] = [];
	let host: string | undefined = 'lab.test:8700';
	const wait = {command: 'env list', waitsFor: () => host};
	createPlainNote(text => written.push(text), wait).beside(person(written));
	vi.advanceTimersByTime(2000);
	expect(written).toEqual(['env list is still waiting for lab.test:8700. Press Ctrl+C to cancel.']);

	const output = terminal();
	const note = createWaitNote(output, wait);
	vi.advanceTimersByTime(2300);
	host = undefined;
	vi.advanceTimersByTime(1000);
	note.end();
	expect(output.written.slice(-3)).toEqual([
		line('env list… 2.0 s waiting for lab.test:8700 ·'),
		line('env list… 3.0 s'),
		erase,
	]);
});
