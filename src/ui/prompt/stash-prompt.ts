import {stashed, unstashed} from '../../editor/editor.ts';
import {keyLabel} from '../../editor/keymap/key-label.ts';
import type {AppStore} from '../../store/store.ts';

const maxDrafts = 20;

/** Puts the draft aside and empties the prompt; on an empty prompt, brings the latest draft back. `chord` is the key for it. */
export function stashPrompt(store: AppStore, chord: string, now: number): void {
	const {composer, stash, setStash, editPrompt, setToast} = store.getState();
	const latest = stash.at(-1);
	if (composer.text !== '') {
		if (stash.length >= maxDrafts) {
			setToast(`${maxDrafts} drafts are stashed already. Send this one first.`);
			return;
		}

		const {state, draft} = stashed(composer);
		setStash([...stash, draft]);
		// The draft is a new message when it comes back.
		editPrompt({composer: state, typedAt: now, completion: 0, editing: undefined});
		setToast(`Draft stashed. ${keyLabel(chord)} on an empty prompt brings it back.`);
	} else if (latest) {
		setStash(stash.slice(0, -1));
		editPrompt({composer: unstashed(composer, latest), typedAt: now, completion: -1, toast: ''});
	} else {
		setToast('No draft is stashed.');
	}
}
