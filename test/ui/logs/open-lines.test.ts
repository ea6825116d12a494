import {expect, test} from 'vitest';
import {allLogs} from '../../../src/store/logs-slice.ts';
import {titleOf} from '../frame.ts';
import {framesOf} from '../log-frames.ts';
import {logOf, numbered, openLog, shop, triage} from '../log-parts.ts';

const open = (text: string, environment = shop) => ({environment, seq: 1, at: 0, text});

test('an open line stands marked under the others in panel and viewer, and takes no room of the title', () => {
	const frames = framesOf({log: logOf(numbered(9)), open: [open('Password: ')]});
	expect(frames.panel(4).slice(1)).toEqual(['  line 8', '  line 9', '  Password:  ⋯ open']);
	expect(frames.screen().slice(1, -1).filter(Boolean).at(-1)).toBe('  Password:  ⋯ open');
	expect(frames.panel(2).slice(1)).toEqual(['  Password:  ⋯ open']);
	expect(frames.panel(1).map(titleOf)[0]).toContain('web-shop');
});

test('of an open line that is redrawn, the last state is shown, and of a long one its beginning with the mark', () => {
	const rowOf = (text: string) =>
		framesOf({log: logOf([]), open: [open(text)], columns: 40})
			.panel(3)
			.slice(1);
	expect(rowOf('\rProgress 6%\rProgress 7%')).toEqual(['  Progress 7% ⋯ open', '']);
	expect(rowOf('x'.repeat(100))).toEqual([`  ${'x'.repeat(30)}… ⋯ open`, '']);
	expect(rowOf('\u001B]0;owned\u0007 $')).toEqual(['  ␛]0;owned␇ $ ⋯ open', '']);
});

test('a filter holds for an open line, and who reads further up does not see it', () => {
	const filters = new Map([[shop, {patterns: ['line'], minLevel: undefined}]]);
	const filtered = framesOf({log: logOf(numbered(3)), open: [open('Password: ')], viewer: {filters}});
	expect(filtered.panel(4).slice(1)).toEqual(['  line 1', '  line 2', '  line 3']);
	const positions = new Map([[shop, {scroll: {top: 0, row: 0, cursor: 0, since: 3}}]]);
	const reading = framesOf({log: logOf(numbered(3)), open: [open('Password: ')], viewer: {positions}});
	expect(reading.screen().join('\n')).not.toContain('Password');
});

test('the open lines of all logs stand with their names', () => {
	const logs = [openLog(), openLog({environment: triage, title: 'triage', hue: 1})];
	const given = {log: logOf(numbered(3)), logs, focus: allLogs, open: [open('a? '), open('b? ', triage)]};
	expect(framesOf(given).panel(6).slice(-2)).toEqual(['  web-shop│ a?  ⋯ open', '  triage  │ b?  ⋯ open']);
});
