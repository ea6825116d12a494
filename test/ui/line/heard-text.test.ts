import {expect, test} from 'vitest';
import {renderResult} from '../../../src/command/render/render.ts';
import {renderMarkdown} from '../../../src/terminal/markdown/markdown.ts';
import {createPalette} from '../../../src/terminal/text/style.ts';

const palette = createPalette({color: false, spoken: true});

test.each([false, true])(
	'no mark and no style is heard of text, also with colours (%s): words stand for them',
	color => {
		const spoken = createPalette({color, spoken: true});
		const source = '## Title\n\nA **bold** *word* of `code`, ~~old~~.\n\n- [x] one\n- [ ] two\n';
		expect(renderMarkdown(source, {width: 80, palette: spoken})).toEqual([
			...['Heading 2: Title', '', 'A bold word of code, deleted: old.', ''],
			...['• Checked: one', '• Not checked: two'],
		]);
	},
);

test('signs of a check and bars are heard as words', () => {
	const fields = [
		['✓ Program', 'service'],
		['✗ Text', 'ASCII.\n→ Set LANG.'],
	] as const;
	expect(renderResult({kind: 'record', fields, data: {}}, {width: 80, palette})).toEqual([
		...['OK: Program: service', 'Fault: Text: ASCII.', 'Fix: Set LANG.'],
	]);
});
