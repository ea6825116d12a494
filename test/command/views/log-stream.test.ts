import {expect, test} from 'vitest';
import type {StreamItem} from '../../../src/command/result.ts';
import {streamLog} from '../../../src/command/views/log-stream.ts';
import type {LogAnswer} from '../../../src/contract/log-cursor.ts';
import {createFilter} from '../../../src/logs/filter.ts';
import {createMatcher} from '../../../src/logs/matcher.ts';
import {jumpingClock, notFound} from '../../logs/tail-script.ts';

/** Follows a log with these windows until it ends, and returns its items that are no states. */
async function streamed(windows: readonly string[], {grep, until}: {readonly grep?: string; readonly until?: string}) {
	let asked = 0;
	const source = async (): Promise<LogAnswer> => {
		const text = windows[asked++];
		if (text === undefined) {
			throw notFound;
		}

		return {kind: 'window', text};
	};
	const items: StreamItem[] = [];
	const batches = streamLog({
		source,
		signal: new AbortController().signal,
		filter: createFilter({patterns: grep === undefined ? [] : [grep]}),
		follow: true,
		sinceStart: false,
		last: until === undefined ? undefined : createMatcher(until),
		exitStatus: false,
		onWait: () => undefined,
		clock: jumpingClock(),
	});
	for await (const batch of batches) {
		items.push(...batch.filter(({kind}) => kind !== 'state'));
	}

	return {items: items.map(({kind, text}) => `${kind}: ${text.slice(-20)}`), asked};
}

test('--grep and --until see a line to its end, whatever its length', async () => {
	const long = `${'x'.repeat(200_000)} needle`;
	expect((await streamed([`a\n${long}\nb\n`], {grep: 'needle'})).items).toEqual(['line: xxxxxxxxxxxxx needle']);
	expect(await streamed([`a\n${long}\nb\n`, 'never'], {until: 'needle$'})).toEqual({
		items: ['line: a', 'line: xxxxxxxxxxxxx needle'],
		asked: 1,
	});
});

test('--until ends at a last line without an end, which is printed once', async () => {
	const given = ['a\nPassword: ', 'a\nPassword: ', 'a\nPassword: \nb\n'];
	expect((await streamed(given, {until: 'password'})).items).toEqual([
		'line: a',
		'open: Password: ',
		'line: Password: ',
	]);
	expect((await streamed(given, {})).items).toEqual([
		...['line: a', 'open: Password: ', 'open: ', 'line: Password: ', 'line: b'],
	]);
	expect((await streamed(given, {grep: 'b'})).items).toEqual(['open: ', 'open: ', 'line: b']);
});
