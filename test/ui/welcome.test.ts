import {expect, test} from 'vitest';
import {commands} from '../../commands/index.ts';
import {findCommand} from '../../src/command/table.ts';
import {splitWords} from '../../src/command/words.ts';
import {createPalette} from '../../src/terminal/text/style.ts';
import {lineWidth} from '../../src/terminal/text/width.ts';
import {welcomeLines} from '../../src/ui/welcome.ts';

const facts = {
	version: '1.2.3',
	folder: '/tmp/x',
	model: 'openai/gpt-5',
	isDemo: false,
	lacksKey: false,
	server: undefined,
	isBrief: false,
	width: 80,
	palette: createPalette({color: false}),
};

test.each([
	[{}, 'openai/gpt-5 · built-in server', ['/init', '/env create web-shop', '/help']],
	[{server: 'app.example.com'}, 'openai/gpt-5 · app.example.com', ['/init', '/env list', '/help']],
	[{model: 'openai/\u001b[2Jx', server: '\u001b[2J'}, 'openai/␛[2Jx · ␛[2J', ['/init', '/env list', '/help']],
	[{lacksKey: true}, 'No API key for openai/gpt-5 · built-in server', ['/keys set openai', '/model', '/help']],
	[{model: undefined}, 'No model selected · built-in server', ['/model', '/keys set anthropic', '/help']],
	[{isDemo: true}, 'Demo model, no AI · built-in server', ['/keys set anthropic', '/env create web-shop', '/help']],
])('with %j the welcome shows model, server and three lines that work when typed', (given, state, steps) => {
	const [head, shown, blank, ...lines] = welcomeLines({...facts, ...given});
	expect([head, shown, blank]).toEqual(['service 1.2.3 · /tmp/x', state, '']);
	const typed = lines.map(line => line.trim().split(/ {2,}/)[0] ?? '');
	expect(typed).toEqual(steps);
	for (const line of typed) {
		expect(findCommand(commands, splitWords(line.slice(1)) as readonly string[]).path).toBeTruthy();
	}
});

test('above a session that continues the welcome has two lines, and no line is wider than the window', () => {
	expect(welcomeLines({...facts, isBrief: true})).toHaveLength(2);
	const narrow = welcomeLines({...facts, width: 20});
	expect(Math.max(...narrow.map(lineWidth))).toBeLessThanOrEqual(20);
});
