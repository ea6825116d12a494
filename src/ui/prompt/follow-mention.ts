import {mentionAt, type TypedMention} from '../../core/mention.ts';
import type {ComposerState} from '../../editor/editor-state.ts';
import type {AppState, AppStore} from '../../store/store.ts';

/**
 * Calls `onChange` with the mention at the caret, undefined outside one, now and whenever the text or the caret changed: the
 * user may have begun before this was loaded. Returns a function that stops it.
 */
export function followMention(store: AppStore, onChange: (typed: TypedMention | undefined) => void): () => void {
	let last: ComposerState | undefined;
	const follow = ({composer}: Pick<AppState, 'composer'>) => {
		const {text, caret} = composer;
		if (text !== last?.text || caret !== last.caret) {
			last = composer;
			onChange(mentionAt(text, caret));
		}
	};
	follow(store.getState());
	return store.subscribe(follow);
}
