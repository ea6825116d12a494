import {expect, test} from 'vitest';
import {createPalette} from '../../src/terminal/text/style.ts';
import {welcomeLines} from '../../src/ui/welcome.ts';

const facts = {
	version: '1.2.3',
	folder: '/tmp/x',
	model: 'openai/gpt-5',
	isDemo: false,
	lacksKey: false,
	width: 80,
	palette: createPalette({color: false}),
};

test.each([
	[{}, 'Model: openai/gpt-5 · /help for commands · /model to switch'],
	[{model: 'openai/\u001b[2Jx'}, 'Model: openai/␛[2Jx · /help for commands · /model to switch'],
	[{lacksKey: true}, 'No API key for openai/gpt-5 · /keys set openai to add one · /model to switch'],
	[{model: undefined}, 'No model selected · /model to select one · /keys set <provider> to add an API key'],
	[{isDemo: true}, 'Demo model, no AI · /keys set <provider> or /login for a real one · /help'],
])('with %j the first screen shows the next step', (given, said) => {
	const [head, ...lines] = welcomeLines({...facts, ...given});
	expect([head, lines.join(' ')]).toEqual(['service 1.2.3 · /tmp/x', said]);
});
