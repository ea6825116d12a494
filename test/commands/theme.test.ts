import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import type {Choice} from '../../src/core/question.ts';
import {plainText} from '../../src/terminal/text/ansi.ts';
import {lineWidth} from '../../src/terminal/text/width.ts';
import {themeNames} from '../../src/terminal/theme/theme-names.ts';
import {dataOf, drawn, testContext} from './context.ts';

test('a theme is saved, and used at once', async () => {
	const here = testContext();
	expect(dataOf(await here.runInApp('theme', 'color-blind'))).toEqual({theme: 'colour-blind'});
	expect(here.store.getState().theme).toBe('colour-blind');
	expect(JSON.parse(readFileSync(join(here.home, 'settings.json'), 'utf8'))).toEqual({theme: 'colour-blind'});
	expect(testContext({like: here}).store.getState().theme).toBe('colour-blind');
	await expect(here.run('theme', 'pink')).rejects.toMatchObject({code: 'usage'});
});

test('without a name the user chooses among samples in the colours of each theme', async () => {
	const env = {TERM: 'xterm-256color', COLORTERM: 'truecolor', COLORFGBG: '0;15'};
	const here = testContext({env, answers: ['dark', undefined]});
	await here.runInApp('theme');
	const [{current, choices}] = here.asked as [{current: string; choices: readonly Choice[]}];
	expect([current, choices.map(({id}) => id)]).toEqual(['terminal', themeNames]);
	const previews = choices.map(({preview = []}) => preview);
	expect(new Set(previews.map(lines => lines.map(plainText).join('\n'))).size).toBe(1);
	expect(new Set(previews.map(lines => lines.join('\n'))).size).toBe(themeNames.length - 1);
	expect(Math.max(...previews.flat().map(lineWidth))).toBeLessThan(60);
	expect(here.store.getState().theme).toBe('dark');
	expect(drawn(await here.runInApp('theme'), 80)).toContain('Nothing changed.');
});
