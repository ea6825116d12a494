import {expect, test} from 'vitest';
import {setComposerText} from '../../src/editor/editor.ts';
import {createAppStore} from '../../src/store/store.ts';
import {prepareWhileTyping} from '../../src/ui/kept-prompts.ts';

function typing(before = '') {
	const store = createAppStore();
	const write = (text: string) => store.getState().setComposer(setComposerText(store.getState().composer, text));
	write(before);
	const prepared: string[] = [];
	const clock = {now: 0};
	const prepare = async (line: string) => void prepared.push(line);
	const waiting: (() => void)[] = [];
	const later = (run: () => void) => void waiting.push(run);
	const stop = prepareWhileTyping({prepare}, store, {now: () => clock.now, later});
	const draw = () => {
		for (const run of waiting.splice(0)) {
			run();
		}
	};
	return {write, prepared, clock, stop, draw};
}

test('a line is prepared with its first key, and again after ten seconds of typing', () => {
	const {write, prepared, clock, stop, draw} = typing();
	write('a');
	// The key is drawn first.
	expect(prepared).toEqual([]);
	draw();
	write('ab');
	clock.now = 10_001;
	write('abc');
	write('abcd');
	write('');
	write('b');
	stop();
	write('');
	write('c');
	draw();
	expect(prepared).toEqual(['a', 'abc', 'b']);
});

test('what was typed while the app started is prepared at once', () => {
	const {prepared, draw} = typing('Hi');
	draw();
	expect(prepared).toEqual(['Hi']);
});

test('a command is prepared before it can run: its line and Enter may come at once', () => {
	const {write, prepared} = typing();
	write('/resume');
	expect(prepared).toEqual(['/resume']);
});
