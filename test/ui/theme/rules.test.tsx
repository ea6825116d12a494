import {describe, expect, test} from 'vitest';
import {toAscii} from '../../../src/terminal/text/ascii.ts';
import {createPalette, type Palette} from '../../../src/terminal/text/style.ts';
import {schemeOf, themes} from '../../../src/terminal/theme/themes.ts';
import {App} from '../../../src/ui/app.tsx';
import {openPanel, type Panel} from '../../../src/ui/panels/panels.ts';
import {draw} from '../frame.ts';

const weights = ['pane', 'question', 'prompt'] as const;
const rulesOf = (palette: Palette) => weights.map(weight => palette.rule(weight, 3));

describe('the lines above a pane, a question and the prompt differ', () => {
	test('without colour, and in ASCII', () => {
		const plain = rulesOf(createPalette({color: false}));
		expect(plain).toEqual(['┄┄┄', '━━━', '───']);
		expect(plain.map(rule => toAscii(rule, {replaces: true}))).toEqual(['...', '===', '---']);
	});

	test.each(Object.keys(themes) as ReadonlyArray<keyof typeof themes>)('in the theme %s on any background', name => {
		for (const background of ['dark', 'light', undefined] as const) {
			const scheme = schemeOf(name, background, 'rgb');
			const [pane, question, prompt] = rulesOf(createPalette({color: true, scheme}));
			expect(new Set([pane, question, prompt]).size).toBe(3);
			expect(question?.includes(scheme.accent)).toBe(true);
		}
	});

	const panels: Readonly<Record<string, {readonly panel: Panel; readonly rule: RegExp}>> = {
		'what only shows something': {
			panel: {kind: 'lines', title: 'Keys', lines: () => ['a']},
			rule: /^┄┄ Keys · Esc close ┄+$/,
		},
		'a question': {panel: {kind: 'confirm', question: 'Sure?', askedAt: 0}, rule: /^━{60}$/},
		'a list': {
			panel: {kind: 'pick', title: 'Model', choices: [{id: 'a', label: 'a'}]},
			rule: /^━━ Model .*Esc cancel ━+$/,
		},
	};

	test.each(Object.entries(panels))('on the screen: %s', async (_, {panel, rule}) => {
		const {store, lines, settle} = draw(<App />, {columns: 60});
		openPanel(store, panel);
		await settle();
		expect(lines().filter(line => /^[┄━─]/.test(line))).toEqual([expect.stringMatching(rule), '─'.repeat(60)]);
	});
});
