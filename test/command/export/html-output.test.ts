import {expect, test} from 'vitest';
import {outputBlock, pageStyle} from '../../../src/command/export/html-export.ts';
import {redactKnown} from '../../../src/core/secrets/redact.ts';
import {contrast} from '../../../src/terminal/theme/readable-scheme.ts';

test('the output of a command keeps its colours, and text on a background has that of the page [8]', () => {
	const output = 'a <red> b\nghp_0123456789abcdefghijABCDEFGHIJ012345 green';
	expect(outputBlock({output, styles: '2+5:1;91 10+40:35 51+5:32'}, redactKnown)).toBe(
		'<div class="code"><pre><code>a <span class="f1 bold">&#60;red&#62;</span> b\n*** <span class="f2">green</span></code></pre></div>',
	);
	expect(outputBlock({output: 'onback inverse', styles: '0+6:31;44 7+7:7;4'}, text => text)).toContain(
		'<span class="g4">onback</span> <span class="g7 underline">inverse</span>',
	);
});

test('styles of a journal that were changed add nothing to the page [2]', () => {
	expect(outputBlock({output: 'plain', styles: '"><script> 0+2:"><b> 1+99999:8 3+1:<i>'}, text => text)).toBe(
		'<div class="code"><pre><code>plain</code></pre></div>',
	);
});

test('each colour of an output can be read, light and dark', () => {
	const [light = '', dark = ''] = pageStyle.split('@media');
	for (const style of [light, dark]) {
		const colorOf = (name: string) => {
			const [, digits = ''] = new RegExp(`--${name}: #(\\w+)`).exec(style) ?? [];
			const whole = digits.length === 3 ? digits.replace(/./g, '$&$&') : digits;
			return [0, 2, 4].map(at => Number.parseInt(whole.slice(at, at + 2), 16)) as [number, number, number];
		};
		for (const name of Array.from({length: 8}, (_, index) => `c${index}`)) {
			for (const behind of ['back', 'code']) {
				expect(contrast(colorOf(name), colorOf(behind)), `${name} on ${behind}`).toBeGreaterThan(4.5);
			}
		}
	}
});
