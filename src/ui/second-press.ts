import type {AppStore} from '../store/store.ts';

type Dependencies = {
	readonly store: AppStore;
	/** Milliseconds since any fixed moment. */
	readonly now: () => number;
	/** Runs something after so many milliseconds. */
	readonly later: (run: () => void, milliseconds: number) => void;
};

export type SecondPress = {
	/** True when the same key was pressed just before; the first press shows what the second one does, while it does. */
	readonly isSecond: (chord: string, toast: string) => boolean;
	/** A key was pressed, or none that has a name: unless it is the same one, the next press is a first one again. */
	readonly forget: (chord: string | undefined) => void;
};

/** How long a second press of the same key counts as the second of two, in milliseconds. */
const twice = 2000;

/** Tells the first press of a key from the second one, for what takes two. */
export function createSecondPress({store, now, later}: Dependencies): SecondPress {
	let first: {readonly chord: string; readonly at: number; readonly toast: string} | undefined;

	/** A note that came meanwhile stays. */
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
			if (first?.chord === chord && now() - first.at < twice) {
				drop(first);
				return true;
			}

			const press = {chord, at: now(), toast};
			first = press;
			store.getState().setToast(toast);
			later(() => drop(press), twice);
			return false;
		},
		forget(chord) {
			if (first?.chord !== chord) {
				drop(first);
			}
		},
	};
}
