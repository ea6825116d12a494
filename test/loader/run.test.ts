import {expect, test} from 'vitest';
import {wayOf} from '../../src/loader/run.ts';

test.each([
	['', 'app'],
	['-c', 'app'],
	['--json', 'app'],
	['attach user@machine', 'app'],
	['-p Hi', 'once'],
	['-cp Hi', 'once'],
	['--print Hi', 'once'],
	['host --json', 'once'],
	['acp', 'once'],
	['serve', 'command'],
	['attachment', 'command'],
])('`service %s` starts as %s does', (line, way) => {
	expect(wayOf(line.split(' ').filter(Boolean))).toBe(way);
});
