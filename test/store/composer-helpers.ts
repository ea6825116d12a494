import {type ComposerAction, reduceComposer} from '../../src/editor/editor.ts';
import {type ComposerState, emptyComposer} from '../../src/editor/editor-state.ts';
import {unfolded} from '../../src/editor/folds.ts';
import type {InputToken} from '../../src/terminal/input/token.ts';
import {createTokenizer} from '../../src/terminal/input/tokenizer.ts';

/** Bytes of keys, for tests to be read. */
export const keys = {
	left: '\u001b[D',
	right: '\u001b[C',
	up: '\u001b[A',
	down: '\u001b[B',
	home: '\u001b[H',
	end: '\u001b[F',
	delete: '\u001b[3~',
	backspace: '\u007f',
	altBackspace: '\u001b\u007f',
	altB: '\u001bb',
	altD: '\u001bd',
	altF: '\u001bf',
	altY: '\u001by',
	undo: '\u001f',
	redo: '\u001b\u001f',
	enter: '\r',
};

export const pasted = (text: string) => `\u001b[200~${text}\u001b[201~`;

/** Applies tokens in turn. */
export function apply(state: ComposerState, tokens: readonly InputToken[], columns = 80) {
	const actions: ComposerAction[] = [];
	for (const token of tokens) {
		const step = reduceComposer(state, token, {columns});
		state = step.state;
		if (step.action) {
			actions.push(step.action);
		}
	}

	return {state, actions};
}

/** Types bytes, read in one chunk, into a composer. */
export function typed(input: string, state: ComposerState = emptyComposer, columns = 80) {
	const tokenizer = createTokenizer();
	return apply(state, [...tokenizer.push(Buffer.from(input)), ...tokenizer.flush()], columns);
}

/** The prompt as shown with `|` at the caret. */
export function withCaret({text, caret}: ComposerState): string {
	return `${text.slice(0, caret)}|${text.slice(caret)}`;
}

/** The prompt as it is shown: with a placeholder for each folded paste. */
export function shownText({text, folds}: ComposerState): string {
	return unfolded(text, folds, 'label');
}
