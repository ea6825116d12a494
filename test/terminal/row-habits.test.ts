import {expect, test} from 'vitest';
import {rowHabits} from '../../src/terminal/row-habits.ts';

test.each([
	['xterm.js', [0, 276, 0], {}, true],
	['Windows Terminal', [0, 10, 1], {}, true],
	['VTE', [65, 7600, 1], {}, true],
	['kitty', [1, 4000, 35], {}, true],
	['tmux', [84, 0, 0], {XTERM_VERSION: 'XTerm(390)'}, true],
	['Ghostty', [1, 10, 0], {TERM: 'xterm-ghostty'}, true],
	['Mosh', [1, 10, 0], {TERM: 'xterm-256color'}, false],
	['xterm', [41, 390, 0], {}, false],
	['rxvt', [82, 20710, 0], {}, false],
	['rxvt-unicode', [85, 95, 0], {}, false],
	['GNU Screen', [83, 50000, 0], {}, true],
	['PuTTY', [0, 136, 0], {}, false],
	['a terminal that does not answer', [], {}, false],
] as const)('%s answers %j; in %j it rewraps rows of a narrower window: %j', (_, answer, env, breaks) => {
	expect(rowHabits(answer, env).reflows).toBe(breaks);
});

test('GNU Screen tells no size, and its rows continue until they are inserted or deleted', () => {
	expect(rowHabits([83, 40900, 0], {})).toMatchObject({tellsSize: false, keepsBreaks: true});
	expect(rowHabits([84, 0, 0], {})).toMatchObject({tellsSize: true, keepsBreaks: false});
});
