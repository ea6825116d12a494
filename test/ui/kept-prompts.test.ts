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
	const stop = prepareWhileTyping({prepare}, store, () => clock.now);
	return {write, prepared, clock, stop};
}

test('a line is prepared with its first key, and again after ten seconds of typing', () => {
	const {write, prepared, clock, stop} = typing();
	write('a');
	write('ab');
	clock.now = 10_001;
	write('abc');
	write('abcd');
	write('');
	write('b');
	stop();
	write('');
	write('c');
	expect(prepared).toEqual(['a', 'abc', 'b']);
});

test('what was typed while the app started is prepared at once', () => {
	expect(typing('Hi').prepared).toEqual(['Hi']);
});
