type Options = {
	/** True if the terminal is certain to report when its window gets or loses the focus. */
	readonly isReported: boolean;
	/** Without reports, the user is away once they pressed no key for so long. */
	readonly awayAfterMs: () => number;
	/** Returns the time of a monotonic clock in milliseconds. */
	readonly now: () => number;
};

/** Whether the user looks at the window, as far as the terminal shows it. */
export type WindowFocus = {
	/** The terminal reported the focus. */
	readonly report: (focused: boolean) => void;
	/** The user pressed a key. */
	readonly pressed: () => void;
	readonly isAway: () => boolean;
};

/** Creates the focus of a window that the user has just started us in. */
export function createWindowFocus({isReported, awayAfterMs, now}: Options): WindowFocus {
	let knows = isReported;
	let isFocused = true;
	let pressedAt = now();
	return {
		report(focused) {
			knows = true;
			isFocused = focused;
		},
		pressed() {
			isFocused = true;
			pressedAt = now();
		},
		isAway: () => !isFocused || (!knows && now() - pressedAt >= awayAfterMs()),
	};
}
