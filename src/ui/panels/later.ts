import type {Choice} from '../../core/question.ts';
import type {AppStore} from '../../store/store.ts';
import type {PickPanel} from './pick-panel.tsx';

/** Returns a list with more choices at its end. The mark stays where it is. */
export function withMore(panel: PickPanel, added: readonly Choice[], store: AppStore): PickPanel {
	const {scroll, filter, scrollBy} = store.getState();
	// Steps upward from the first choice are counted from the end.
	if (scroll < 0 && filter.text === '') {
		scrollBy(panel.choices.length);
	}

	return {...panel, choices: [...panel.choices, ...added]};
}

/**
 * Calls `tell` for a question that has been written to the terminal, unless something hides it. Its keys answer a moment after that,
 * as those of others do after they were asked.
 */
export function tellShown(tell: () => void, store: AppStore, now: () => number): void {
	if (store.getState().inSightSince < Number.POSITIVE_INFINITY) {
		store.setState({inSightSince: now()});
		tell();
	}
}

/** Waits until no panel hides a question any more. Meanwhile, the user is asked all the same. */
export async function countHidden(closed: Promise<void>, store: AppStore): Promise<void> {
	const count = (more: number) => store.setState(({hiddenQuestions}) => ({hiddenQuestions: hiddenQuestions + more}));
	count(1);
	try {
		await closed;
	} finally {
		count(-1);
	}
}
