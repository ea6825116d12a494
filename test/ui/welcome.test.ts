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
	[{}, 'openai/gpt-5 answers. /help shows all commands, /model chooses another model.'],
	[{model: 'openai/\u001b[2Jx'}, 'openai/␛[2Jx answers. /help shows all commands, /model chooses another model.'],
	[{lacksKey: true}, 'openai/gpt-5 needs a key: /keys set openai stores it, /model chooses another model.'],
	[{model: undefined}, 'No model is chosen yet: /model chooses one, /keys set <provider> stores a key.'],
	[
		{isDemo: true},
		'Demo model, no AI. For a real one: /keys set <provider>, or /login to your server. /help shows all.',
	],
])('with %j the first screen says what comes next', (given, said) => {
	const [head, ...lines] = welcomeLines({...facts, ...given});
	expect([head, lines.join(' ')]).toEqual(['service 1.2.3 · /tmp/x', said]);
});
