import type {AppStore} from '../store/store.ts';

type Dependencies = {
	readonly store: AppStore;
	/** Returns the milliseconds since any fixed moment. */
	readonly now: () => number;
	readonly later: (run: () => void, delayMs: number) => void;
};

export type SecondPress = {
	/** Returns true if the same key was pressed just before. Otherwise shows what a second press does, as long as it does. */
	readonly isSecond: (chord: string, toast: string) => boolean;
	/** Forgets the first press if another key was pressed. */
	readonly forget: (chord: string | undefined) => void;
};

/** How long the first of two presses counts. */
const timeoutMs = 2000;

/** Distinguishes the first press of a key from the second one, for what needs two. */
export function createSecondPress({store, now, later}: Dependencies): SecondPress {
	let first: {readonly chord: string; readonly at: number; readonly toast: string} | undefined;

	/** Forgets a press. A later toast stays. */
	const drop = (press: typeof first) => {
		if (press && first === press) {
			first = undefined;
			const {toast, setToast} = store.getState();
			if (toast === press.toast) {
				setToast('');
			}
		}
	};

	return {
		isSecond(chord, toast) {
			if (first?.chord === chord && now() - first.at < timeoutMs) {
				drop(first);
				return true;
			}

			const press = {chord, at: now(), toast};
			first = press;
			store.getState().setToast(toast);
			later(() => drop(press), timeoutMs);
			return false;
		},
		forget(chord) {
			if (first?.chord !== chord) {
				drop(first);
			}
		},
	};
}
