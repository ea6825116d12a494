import {mentionAt, type TypedMention} from '../../core/mention.ts';
import type {ComposerState} from '../../editor/editor-state.ts';
import {textOf} from '../../editor/long-text.ts';
import type {AppState, AppStore} from '../../store/store.ts';

/**
 * Calls `onChange` with the mention at the caret, undefined outside one, now and whenever the text or the caret changed: the
 * user may have begun before this was loaded. Returns a function that stops it.
 */
export function followMention(store: AppStore, onChange: (typed: TypedMention | undefined) => void): () => void {
	let last: ComposerState | undefined;
	const follow = ({composer}: Pick<AppState, 'composer'>) => {
		if (composer.text !== last?.text || composer.caret !== last.caret) {
			last = composer;
			onChange(mentionAt(textOf(composer), composer.caret));
		}
	};
	follow(store.getState());
	return store.subscribe(follow);
}
