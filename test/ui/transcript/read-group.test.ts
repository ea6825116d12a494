import fc from 'fast-check';
import {expect, test} from 'vitest';
import type {AgentEvent} from '../../../src/core/session/event.ts';
import {reduceTranscript} from '../../../src/core/session/reduce-transcript.ts';
import {emptyTranscript} from '../../../src/core/session/transcript.ts';
import {safeLine} from '../../../src/terminal/text/safe-text.ts';
import {lineWidth} from '../../../src/terminal/text/width.ts';
import {call, canvas, end, result, say, start, think, user} from '../canvas.ts';
import {key, reader} from './reader.ts';

const read = (id: string, path = `${id}.ts`) => call(id, 'read_file', {path});

test('adjacent calls that read are one line, live while another may join and written when one cannot', () => {
	const {feed, taken, live} = canvas({columns: 80});
	feed(start, user('Go'), read('a'), read('b'));
	taken();
	expect(live()).toEqual(['', '◌ Read a.ts …', '◌ Read b.ts …']);
	feed(result('a'));
	expect([taken(), live()]).toEqual([[], ['', '✓ Read a.ts · 2.1 kB', '◌ Read b.ts …']]);
	feed(result('b'));
	expect([taken(), live()]).toEqual([[], ['', '✓ Read 2 files · a.ts, b.ts']]);
	feed(read('c', 'a.ts'), call('d', 'search_text', {pattern: 'x', path: 'src'}));
	expect(live()).toEqual(['', '✓ Read 2 files · a.ts, b.ts', '◌ Read a.ts …', '◌ Search “x” in src …']);
	feed(result('c'), result('d', 'src/a.ts:1:x'));
	expect([taken(), live()]).toEqual([
		[],
		['', `✓ Read 2 files, searched once · a.ts, b.ts, “x” in src${' '.repeat(21)}1.6 s`],
	]);
	feed(say('Found.'));
	expect(taken()).toEqual(['', `✓ Read 2 files, searched once · a.ts, b.ts, “x” in src${' '.repeat(21)}1.6 s`]);
	feed(end);
	expect([taken(), live()]).toEqual([['', '● Found.'], []]);
});

test('a call that failed, was asked about or does more than read stays a line of its own', () => {
	const {feed, taken} = canvas({columns: 80});
	feed(start, user('Go'), ...[read('a'), result('a'), read('b'), result('b'), read('c'), result('c', 'Gone.', true)]);
	feed(read('d'), result('d'), call('e', 'job_stop', {job: 1}), result('e', 'ok'));
	feed(read('f', '.env'), {type: 'approval-request', id: 'f', summary: 'Read .env?', hash: 'h'});
	feed(
		{type: 'approval-answer', id: 'f', allowed: true, hash: 'h', by: 'user'},
		result('f'),
		read('g'),
		result('g'),
		end,
	);
	expect(taken()).toEqual([
		...['❯ Go', '', '✓ Read 2 files · a.ts, b.ts', '✗ Read c.ts · Gone.', '✓ Read d.ts · 2.1 kB'],
		...['✓ Stop job 1 · 2 B', '✓ Read .env · 2.1 kB', '✓ Read g.ts · 2.1 kB'],
	]);
});

test('a thought without a text does not part calls, and a printed line does', () => {
	const {feed, taken, live, painter} = canvas({columns: 80});
	feed(start, user('Go'), read('a'), result('a'), think(''), read('b'), result('b'));
	taken();
	expect(live()).toEqual(['', '✓ Read 2 files · a.ts, b.ts']);
	painter.print(() => ['a result']);
	expect([taken(), live()]).toEqual([['', '✓ Read 2 files · a.ts, b.ts', '', 'a result'], []]);
	feed(read('c'), result('c'), read('d'), result('d'), end);
	expect(taken()).toEqual(['', '✓ Read 2 files · c.ts, d.ts']);
});

test('names in a group are safe and the line fits [1]', () => {
	const {feed, taken} = canvas({columns: 40});
	const name = `a\u001B[2J\u202E${'x'.repeat(100)}`;
	feed(start, user('Go'), read('a', name), result('a'), read('b'), result('b'), end);
	const [line = ''] = taken().slice(-1);
	expect(line).toContain(safeLine(name).slice(0, 8));
	expect(line).not.toMatch(/[\u001B\u202E]/u);
	expect(lineWidth(line)).toBeLessThanOrEqual(40);
});

const tool = fc.record({
	name: fc.constantFrom('read_file', 'read_file', 'list_files', 'search_text', 'run_command'),
	failed: fc.boolean(),
	/** Where its result comes among those of its message. */
	order: fc.nat({max: 9}),
});
const step = fc.oneof(
	fc.record({think: fc.constantFrom('', ' \n', 'I see')}),
	fc.record({say: fc.constantFrom('', '\n', 'So.\n\n- a', '**b**')}),
	fc.record({call: fc.array(tool, {minLength: 1, maxLength: 4})}),
);
const runs = fc.array(fc.record({steps: fc.array(step, {maxLength: 8}), cut: fc.boolean()}), {maxLength: 3});

function eventsOf(all: ReturnType<typeof runs.generate>['value']): readonly AgentEvent[] {
	let ids = 0;
	const eventsOfStep = (is: (typeof all)[number]['steps'][number]): readonly AgentEvent[] => {
		const id = `i${++ids}`;
		if ('think' in is) {
			return [{type: 'reasoning-delta', id, messageId: id, text: is.think}];
		}

		if ('say' in is) {
			return [...is.say].map(text => ({type: 'text-delta', id, messageId: id, text}) as const);
		}

		const calls = is.call.map((made, index) => ({...made, id: `${id}-${index}`}));
		return [
			...calls.map(({id: callId, name}) => call(callId, name, {path: `${callId}.ts`, pattern: 'x', command: 'ls'})),
			...calls.toSorted((one, other) => one.order - other.order).map(made => result(made.id, 'src/a', made.failed)),
		];
	};
	return all.flatMap(({steps, cut}, index) => {
		const events = steps.flatMap(eventsOfStep);
		const ending = {...end, reason: cut ? ('interrupted' as const) : ('done' as const)};
		return [{...start, runId: `r${index}`}, user('Go', `u${index}`), ...(cut ? events.slice(0, -1) : events), ending];
	});
}

test('drawing a session as it happens ends in what drawing it at once gives', () => {
	fc.assert(
		fc.property(runs, all => {
			const live = canvas({columns: 80, rows: 1000});
			const records = live.recorded(eventsOf(all));
			for (const record of records) {
				live.store.getState().applyRecords([record]);
				live.painter.advance();
			}

			const whole = canvas({columns: 80, rows: 1000});
			const resumed = records.map(record => ({...record, session: 's2'}));
			whole.store.getState().openTranscript(resumed.reduce(reduceTranscript, emptyTranscript('s2')));
			whole.painter.advance();
			expect(live.live()).toEqual([]);
			const lines = live.taken();
			expect(lines).toEqual(whole.taken());
			live.painter.repaint();
			expect(live.taken()).toEqual(lines);
		}),
		{numRuns: 60},
	);
});

test('calls that are drawn as one line open into each of them, and are found and copied as a whole', () => {
	const reads = ['a', 'b', 'c'].flatMap(id => [
		call(id, 'read_file', {path: `${id}.ts`}),
		result(id, `1\tline of ${id}`, id === 'c'),
	]);
	const {shown, press, copied, feed} = reader(start, user('Look'), ...reads);
	expect(shown().slice(1, -1)).toEqual(['  ❯ Look', '  ✓ Read 2 files · a.ts, b.ts', '▌ ✗ Read c.ts · 1 line of c']);
	press(key('up'), key('enter'));
	const opened = shown().map(line => line.trim());
	expect(opened).toEqual(
		expect.arrayContaining(['▌ ✓ Read a.ts · 1 line', '▌ ✓ Read b.ts · 1 line', '▌   1   line of b']),
	);
	press('c');
	expect(copied).toEqual(['1\tline of a\n1\tline of b']);
	press(key('enter'), key('end'));
	feed(say('So.'), end);
	press('/', 'line of b', key('enter'));
	expect(shown().at(-1)).toBe('“line of b” · 1 of 1 · n previous · N next');
	expect(shown().map(line => line.trim())).toContain('▌   1   line of b');
});
